import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import type { KafkaMessageBus } from '../../../src/adapters/message-bus/kafka/kafkaMessageBus.js';
import { partitionOf } from '../../../src/adapters/message-bus/kafka/recordFormat.js';
import type { Channel } from '../../../src/wire/bus/channel.js';
import { testBrokers } from '@roomwire/testing/run/testProfile';
import { eventually } from '@roomwire/testing/run/eventually';
import { notes, numbered, valuesOf, type Note } from '@roomwire/testing/contracts/message-bus/busUnderTest';
import {
  cable,
  kafkaUnderTest,
  partitions,
  sessionTimeoutMs,
  type KafkaUnderTest,
} from './kafkaUnderTest.js';

const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g'] as const;

const expectEachOnceInOrder = (received: readonly Note[], sent: readonly Note[]): void => {
  expect(received).to.have.lengthOf(sent.length);
  for (const key of keys) expect(valuesOf(key, received)).to.deep.equal(valuesOf(key, sent));
};

describe('channels on Kafka', function () {
  this.timeout(60_000);
  let kafka: KafkaUnderTest;
  let bus: KafkaMessageBus;
  let received: Note[];

  const receive = (note: Note): void => void received.push(note);
  const hasReceived = (count: number): Promise<void> =>
    eventually(() => received.length >= count, { what: `${count} records`, withinMs: 30_000 });

  beforeEach(async () => {
    kafka = kafkaUnderTest();
    received = [];
    bus = await kafka.open();
  });
  afterEach(() => kafka.dispose());

  it('keep the order and lose nothing with 20,000 concurrent sends', async () => {
    await bus.read(notes, { interest: 'all' }, receive);
    const sent = numbered(20_000, ...keys);
    await Promise.all(sent.map((note) => bus.send(notes, note, 'stored')));
    await hasReceived(sent.length);
    expectEachOnceInOrder(received, sent);
  });

  it('tell senders and readers the offset of each record', async () => {
    const read = new Map<unknown, number>();
    await bus.read(notes, { interest: 'all' }, ({ value }, offset) => void read.set(value, offset));
    const sent = numbered(500, ...keys);
    const offsets = await Promise.all(sent.map((note) => bus.send(notes, note, 'stored')));
    await eventually(() => read.size === sent.length, { what: 'all records', withinMs: 30_000 });
    expect(sent.map(({ value }) => read.get(value))).to.eql(offsets);
    for (const key of keys) {
      const ofKey = offsets.filter((_, n) => sent[n]?.key === key);
      expect(ofKey).to.eql(ofKey.toSorted((one, other) => one - other));
    }
  });

  it('do not need the first of the brokers that are configured', async () => {
    const away = '127.0.0.1:9';
    const other = await kafka.open({ brokers: [away, ...testBrokers()], withinMs: 5_000 });
    await bus.read(notes, { interest: 'all' }, receive);
    const sent = numbered(20, ...keys);
    for (const note of sent) await other.send(notes, note, 'stored');
    await hasReceived(sent.length);
    expectEachOnceInOrder(received, sent);
  });

  it('carry a frame of 1 MiB, and refuse what no topic accepts', async () => {
    await bus.read(bytes, { interest: 'all' }, (record) => receive({ key: 'large', value: record }));
    const frame = Buffer.alloc(1024 * 1024 + 10_000, 7);
    await bus.send(bytes, frame, 'stored');
    await hasReceived(1);
    expect(frame.equals(received[0]?.value as Buffer)).to.equal(true);
    const refused = await bus.send(bytes, Buffer.alloc(2 * 1024 * 1024), 'stored').catch(String);
    expect(refused).to.match(/^RangeError: A record of \d+ bytes is too large for the topic/);
  });

  it('continue after a reader throws an error that stops the library, and after an unreadable record', async () => {
    const other = await kafka.open();
    await bus.read(notes, { interest: 'all' }, (note) => {
      receive(note);
      throw new TypeError('A broken reader');
    });
    for (const value of [1, 2]) await other.send(notes, { key: 'a', value }, 'stored');
    const unreadable = { ...notes, codec: { ...notes.codec, encode: () => Buffer.from('{') } };
    await other.send(unreadable, { key: 'a', value: 3 }, 'stored');
    await other.send(notes, { key: 'a', value: 4 }, 'stored');
    await hasReceived(3);
    expect(valuesOf('a', received)).to.deep.equal([1, 2, 4]);
  });

  describe('subscribing', () => {
    it('misses nothing that another process sends right after it', async () => {
      const other = await kafka.open();
      const reader = await bus.read(notes, { interest: 'subscribed' }, receive);
      const subscribed: string[] = [];
      for (let round = 1; round <= 200; round += 1) {
        const note = { key: `room ${round}`, value: round };
        await reader.subscribe(note.key);
        await other.send(notes, note, round % 2 ? 'stored' : 'none');
        subscribed.push(note.key);
        // Now and then nothing is subscribed, and every partition starts again.
        if (round % 5) continue;
        await hasReceived(round);
        for (const key of subscribed.splice(0)) reader.unsubscribe(key);
      }
      expect(received.map(({ value }) => value)).to.have.members(
        Array.from({ length: 200 }, (_, n) => n + 1),
      );
    });

    it('to a thousand keys concurrently requests the ends of the partitions a few times', async () => {
      const reader = await bus.read(notes, { interest: 'subscribed' }, receive);
      const rooms = Array.from({ length: 1_000 }, (_, n) => `room ${n}`);
      await Promise.all(rooms.map((room) => reader.subscribe(room)));
      await Promise.all(rooms.map((key) => bus.send(notes, { key, value: key }, 'stored')));
      await hasReceived(rooms.length);
      expect(received.map(({ value }) => value)).to.have.members(rooms);
    });

    it('fetches the partitions of the subscribed keys only', async () => {
      const inPartition = (partition: number): string => {
        const isIn = (key: string): boolean => partitionOf(Buffer.from(key), partitions) === partition;
        return Array.from({ length: 100 }, (_, n) => `room ${n}`).find(isIn) as string;
      };
      const sender = await kafka.open();
      const send = async (key: string, count: number, value: string): Promise<void> => {
        const sends = Array.from({ length: count }, () => sender.send(notes, { key, value }, 'stored'));
        await Promise.all(sends);
      };
      const reader = await bus.read(notes, { interest: 'subscribed' }, receive);
      await reader.subscribe(inPartition(0));
      const before = bus.statistics[notes.name]?.bytes ?? 0;
      for (const partition of [1, 2, 3]) await send(inPartition(partition), 2_000, 'x'.repeat(1_000));
      await send(inPartition(0), 20, 'marker');
      await hasReceived(20);
      expect(received.every(({ value }) => value === 'marker')).to.equal(true);
      const { bytes = 0, records } = bus.statistics[notes.name] ?? {};
      expect(records).to.equal(20);
      expect(bytes - before, 'of the 6 MB that were sent').to.be.lessThan(200_000);
    });
  });

  describe('when connections are cut', () => {
    it('deliver everything once and in order after the answers to sends were lost', async () => {
      const wire = cable();
      const sender = await kafka.open({ connect: wire.connect });
      await bus.read(notes, { interest: 'all' }, receive);
      const sent = numbered(1_000, ...keys);
      for (let from = 0; from < sent.length; from += 100) {
        const sends = sent.slice(from, from + 100).map((note) => sender.send(notes, note, 'stored'));
        wire.loseAnswers(50);
        await Promise.all(sends);
      }
      await hasReceived(sent.length);
      expectEachOnceInOrder(received, sent);
      expect(bus.statistics[notes.name]?.records, 'with the copies').to.be.greaterThan(sent.length);
    });

    it('deliver everything once and in order to a reader whose connections are cut', async () => {
      const wire = cable();
      const reading = await kafka.open({ connect: wire.connect });
      await reading.read(notes, { interest: 'all' }, receive);
      const sent = numbered(3_000, ...keys);
      for (const [n, note] of sent.entries()) {
        await bus.send(notes, note, 'stored');
        if (n % 500 === 250) wire.interrupt();
      }
      await hasReceived(sent.length);
      expectEachOnceInOrder(received, sent);
    });

    it('deliver to a reader what was sent while it was cut off, without a later send', async () => {
      const wire = cable();
      const logged: string[] = [];
      const log = (message: string): void => void logged.push(message);
      const logger = { debug: log, info: log, warn: log, error: log };
      const reading = await kafka.open({ connect: wire.connect, logger });
      await reading.read(notes, { interest: 'all' }, receive);
      const sent = numbered(1_000, ...keys);
      await Promise.all(sent.slice(0, 500).map((note) => bus.send(notes, note, 'stored')));
      wire.cut();
      await Promise.all(sent.slice(500).map((note) => bus.send(notes, note, 'stored')));
      await eventually(() => logged.includes('A Kafka consumer is replaced'));
      wire.restore();
      await hasReceived(sent.length);
      expectEachOnceInOrder(received, sent);
    });

    it('deliver to a reader what was sent while it was suspended for longer than its session', async () => {
      const wire = cable();
      const reading = await kafka.open({ connect: wire.connect });
      await reading.read(notes, { interest: 'all' }, receive);
      const sent = numbered(1_000, ...keys);
      await Promise.all(sent.slice(0, 500).map((note) => bus.send(notes, note, 'stored')));
      const frozen = wire.freeze(sessionTimeoutMs + 2_000);
      for (const note of sent.slice(500)) await bus.send(notes, note, 'stored');
      await frozen;
      await hasReceived(sent.length);
      expectEachOnceInOrder(received, sent);
    });

    it('report that they are unavailable, and available again by themselves', async () => {
      const wire = cable();
      const cutOff = await kafka.open({ connect: wire.connect, withinMs: 1_000 });
      await cutOff.send(notes, { key: 'a', value: 1 }, 'stored');
      expect(cutOff.reachable).to.equal(true);
      wire.cut();
      const outcome = await cutOff.send(notes, { key: 'a', value: 2 }, 'stored').catch(String);
      expect(outcome).to.equal('EngineUnavailable: The message bus cannot be reached');
      expect(cutOff.reachable).to.equal(false);
      expect(await cutOff.send(notes, { key: 'a', value: 3 }, 'none').catch(String)).to.equal(outcome);
      wire.restore();
      await eventually(() => cutOff.reachable);
      await cutOff.send(notes, { key: 'a', value: 4 }, 'stored');
    });
  });
});

const bytes: Channel<Uint8Array> = {
  name: 'bytes',
  key: () => 'large',
  codec: { encode: (record) => record, decode: (record) => record },
};
