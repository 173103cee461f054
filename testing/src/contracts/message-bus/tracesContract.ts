import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import type { Channel } from '@roomwire/shared/wire/bus/channel';
import { eventually } from '../../run/eventually.js';
import { notes, type BusUnderTest, type Note } from './busUnderTest.js';

interface TracedNote extends Note {
  readonly traceparent?: string | undefined;
}

/** Its codec keeps nothing of the trace. */
const tracedNotes: Channel<TracedNote> = {
  name: 'contract-traced-notes',
  key: ({ key }) => key,
  codec: {
    encode: ({ key, value }) => Buffer.from(JSON.stringify({ key, value })),
    decode: notes.codec.decode,
  },
  trace: {
    of: ({ traceparent }) => traceparent,
    onto: (note, traceparent) => ({ ...note, traceparent }),
  },
};

const traceparentOf = (n: number): string => `00-${'a'.repeat(32)}-${String(n).padStart(16, '0')}-01`;

export const tracesContract = (current: () => BusUnderTest): void => {
  it('delivers the trace of a record, and none with records that are not traced', async () => {
    const { bus } = current();
    const read: TracedNote[] = [];
    await bus.read(tracedNotes, { interest: 'all' }, (note) => void read.push(note));
    const sent = Array.from({ length: 30 }, (_, n): TracedNote => ({
      key: `key ${n % 3}`,
      value: n,
      ...(n % 4 === 0 ? { traceparent: traceparentOf(n) } : {}),
    }));
    await Promise.all(sent.map((note) => bus.send(tracedNotes, note, n(note) % 2 === 0 ? 'stored' : 'none')));
    await eventually(() => read.length === sent.length, { withinMs: 15_000 });
    const inOrder = read.toSorted((one, other) => n(one) - n(other));
    expect(inOrder.map(({ value, traceparent }) => [value, traceparent])).to.eql(
      sent.map(({ value, traceparent }) => [value, traceparent]),
    );
  });
};

const n = ({ value }: Note): number => value as number;
