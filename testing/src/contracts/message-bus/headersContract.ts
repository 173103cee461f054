import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import type { Channel } from '@roomwire/shared/wire/bus/channel';
import { eventually } from '../../run/eventually.js';
import { notes, type BusUnderTest, type Note } from './busUnderTest.js';

export interface MarkedNote extends Note {
  readonly colour?: string;
  readonly size?: string;
}

/** Its codec keeps nothing of colour and size. */
export const markedNotes: Channel<MarkedNote> = {
  name: 'contract-marked-notes',
  key: ({ key }) => key,
  codec: {
    encode: ({ key, value }) => Buffer.from(JSON.stringify({ key, value })),
    decode: notes.codec.decode,
  },
  carried: [
    { header: 'colour', of: ({ colour }) => colour, onto: (note, colour) => ({ ...note, colour }) },
    { header: 'size', of: ({ size }) => size, onto: (note, size) => ({ ...note, size }) },
  ],
};

export const headersContract = (current: () => BusUnderTest): void => {
  it('delivers what a channel carries in headers, and nothing with records that have nothing of it', async () => {
    const { bus } = current();
    const read: MarkedNote[] = [];
    await bus.read(markedNotes, { interest: 'all' }, (note) => void read.push(note));
    const sent = Array.from({ length: 30 }, (_, n): MarkedNote => ({
      key: `key ${n % 3}`,
      value: n,
      ...(n % 4 === 0 ? { colour: `colour ${n}` } : {}),
      ...(n % 6 === 0 ? { size: `size ${n}` } : {}),
    }));
    await Promise.all(sent.map((note) => bus.send(markedNotes, note, n(note) % 2 === 0 ? 'stored' : 'none')));
    await eventually(() => read.length === sent.length, { withinMs: 15_000 });
    expect(read.toSorted((one, other) => n(one) - n(other))).to.eql(sent);
  });
};

const n = ({ value }: Note): number => value as number;
