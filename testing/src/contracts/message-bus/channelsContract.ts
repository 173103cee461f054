import { expect } from 'chai';
import type { ChannelReader, ReadOptions } from '@roomwire/shared/ports/messageBus';
import { eventually } from '../../run/eventually.js';
import { notes, numbered, otherNotes, valuesOf, type BusUnderTest, type Note } from './busUnderTest.js';

interface Reading {
  readonly reader: ChannelReader;
  readonly received: Note[];
}

const marker: Note = { key: 'marker', value: 'marker' };

export const channelsContract = (current: () => BusUnderTest): void => {
  const send = (note: Note): Promise<number> => current().bus.send(notes, note, 'stored');
  const read = async (interest: ReadOptions['interest'] = 'all', channel = notes): Promise<Reading> => {
    const received: Note[] = [];
    const reader = await current().bus.read(channel, { interest }, (note) => received.push(note));
    return { reader, received };
  };
  const holds = ({ received }: Reading, count: number): Promise<void> =>
    eventually(() => received.length >= count, { what: `${count} records`, withinMs: 10_000 });
  const marked = ({ received }: Reading): Promise<void> =>
    eventually(() => received.some(({ value }) => value === 'marker'), { what: 'the marker' });

  it('delivers every record to every reader, in order by key', async () => {
    const readings = [await read(), await read(), await read()];
    const sent = numbered(300, 'a', 'b', 'c', 'd', 'e');
    await Promise.all(sent.map(send));
    for (const reading of readings) {
      await holds(reading, sent.length);
      expect(reading.received).to.have.lengthOf(sent.length);
      for (const key of ['a', 'b', 'c', 'd', 'e'])
        expect(valuesOf(key, reading.received)).to.deep.equal(valuesOf(key, sent));
    }
  });

  it('starts with the records that are sent after reading has begun', async () => {
    await send({ key: 'a', value: 'before' });
    const reading = await read();
    await send({ key: 'a', value: 'after' });
    await holds(reading, 1);
    expect(reading.received).to.deep.equal([{ key: 'a', value: 'after' }]);
  });

  it('says between which records of a key a reader is, where records have offsets', async () => {
    const passed: (readonly [value: unknown, offset: number])[] = [];
    const reader = await current().bus.read(notes, { interest: 'subscribed' }, ({ value }, offset) =>
      passed.push([value, offset]),
    );
    await reader.subscribe('a');
    const looks: { readonly next: number | undefined; readonly passed: number }[] = [];
    for (let n = 0; n < 20; n += 1) {
      await send({ key: 'a', value: n });
      looks.push({ next: reader.next('a'), passed: passed.length });
    }
    await eventually(() => passed.length === 20, { what: 'all records', withinMs: 10_000 });
    for (const look of looks) {
      if (look.next === undefined) continue;
      for (const [at, [, offset]] of passed.entries())
        expect(offset < look.next, `offset ${offset} at ${look.next}`).to.equal(at < look.passed);
    }
  });

  it('delivers records as they were sent', async () => {
    const sent: Note[] = [
      { key: '', value: null },
      { key: 'Schlüssel 🔑', value: { text: 'Grüße\u0000 👋', list: [1, -0.5, true, [], {}] } },
      { key: 'long', value: 'x'.repeat(100_000) },
    ];
    const reading = await read();
    for (const note of sent) await send(note);
    await holds(reading, sent.length);
    expect(reading.received).to.have.deep.members(sent);
  });

  it('keeps the order of a key over both kinds of acknowledgement', async () => {
    const reading = await read();
    const sent = numbered(100, 'a');
    await Promise.all(
      sent.map((note, n) => current().bus.send(notes, note, n % 3 === 0 ? 'stored' : 'none')),
    );
    await holds(reading, sent.length);
    expect(reading.received).to.deep.equal(sent);
  });

  it('separates channels', async () => {
    const reading = await read();
    const other = await read('all', otherNotes);
    await current().bus.send(otherNotes, { key: 'a', value: 'other' }, 'stored');
    await send(marker);
    await marked(reading);
    await holds(other, 1);
    expect(reading.received).to.deep.equal([marker]);
    expect(other.received).to.deep.equal([{ key: 'a', value: 'other' }]);
  });

  it('delivers every record of its keys to a subscribed reader', async () => {
    const reading = await read('subscribed');
    await reading.reader.subscribe('a');
    await reading.reader.subscribe('c');
    const sent = numbered(60, 'a', 'b', 'c');
    await Promise.all(sent.map(send));
    await eventually(() => valuesOf('c', reading.received).length === 20);
    await eventually(() => valuesOf('a', reading.received).length === 20);
    for (const key of ['a', 'c']) expect(valuesOf(key, reading.received)).to.deep.equal(valuesOf(key, sent));
  });

  it('delivers every record that is sent after subscribe has resolved', async () => {
    const reading = await read('subscribed');
    for (let n = 1; n <= 20; n += 1) {
      await reading.reader.subscribe(`key ${n}`);
      await send({ key: `key ${n}`, value: n });
    }
    await eventually(() => reading.received.length >= 20);
    for (let n = 1; n <= 20; n += 1) expect(valuesOf(`key ${n}`, reading.received)).to.deep.equal([n]);
  });

  it('counts how often a key is subscribed', async () => {
    const reading = await read('subscribed');
    await reading.reader.subscribe('a');
    await reading.reader.subscribe('a');
    reading.reader.unsubscribe('a');
    await send({ key: 'a', value: 'still subscribed' });
    await holds(reading, 1);
    reading.reader.unsubscribe('a');
    await reading.reader.subscribe('a');
    await send({ key: 'a', value: 'subscribed again' });
    await eventually(() => valuesOf('a', reading.received).includes('subscribed again'));
    expect(valuesOf('a', reading.received)).to.deep.equal(['still subscribed', 'subscribed again']);
  });

  it('delivers nothing to a closed reader', async () => {
    const closed = await read();
    const open = await read();
    await send({ key: 'a', value: 'first' });
    await holds(closed, 1);
    await closed.reader.close();
    await send(marker);
    await marked(open);
    expect(closed.received).to.deep.equal([{ key: 'a', value: 'first' }]);
  });

  it('lets a reader close itself during a delivery', async () => {
    const received: Note[] = [];
    const closing: ChannelReader = await current().bus.read(notes, { interest: 'all' }, (note) => {
      received.push(note);
      void closing.close();
    });
    const open = await read();
    await send({ key: 'a', value: 1 });
    await eventually(() => received.length === 1);
    await send(marker);
    await marked(open);
    expect(received).to.deep.equal([{ key: 'a', value: 1 }]);
    expect(open.received).to.have.lengthOf(2);
  });

  it('shows all readers the same order when readers send as well', async () => {
    const first = await read();
    await current().bus.read(notes, { interest: 'all' }, ({ value }) => {
      if (typeof value === 'number' && value < 5) void send({ key: 'a', value: value + 1 });
    });
    const last = await read();
    await send({ key: 'a', value: 1 });
    for (const reading of [first, last]) {
      await holds(reading, 5);
      expect(valuesOf('a', reading.received)).to.deep.equal([1, 2, 3, 4, 5]);
    }
  });
};
