import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedMessageBus } from '../../../src/adapters/message-bus/embeddedMessageBus.js';
import type { ChannelJournal } from '../../../src/adapters/message-bus/journaledSends.js';
import { EncodedRecords } from '../../../src/adapters/threads/encodedRecords.js';
import {
  ServedMessageBus,
  type ServedMessageBusDeps,
} from '../../../src/adapters/threads/servedMessageBus.js';
import { ThreadMessageBus } from '../../../src/adapters/threads/threadMessageBus.js';
import { EngineUnavailable } from '../../../src/ports/errors.js';
import type { MeasuredBus } from '../../../src/ports/messageBus.js';
import { busTopics } from '../../../src/wire/bus/busTopics.js';
import { everyChannel, everyQueue } from '../../../src/wire/bus/everyTopic.js';
import { gate, jobs, notes, numbered, type Note } from '@roomwire/testing/contracts/message-bus/busUnderTest';
import { contractTopics } from '@roomwire/testing/contracts/message-bus/contractTopics';
import { messageBusContract } from '@roomwire/testing/contracts/message-bus/messageBusContract';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { linkedThreads, type LinkedThreads } from './linkedThreads.js';

interface ThreadOnBus extends LinkedThreads {
  readonly bus: ThreadMessageBus;
  readonly served: ServedMessageBus;
}

type Options = Partial<Pick<ServedMessageBusDeps, 'encoded' | 'stored'>>;

const threadOn = (bus: MeasuredBus, options: Options = {}): ThreadOnBus => {
  const links = linkedThreads();
  const served = new ServedMessageBus({
    ...{ link: links.here, bus, topics: contractTopics, encoded: new EncodedRecords() },
    ...options,
  });
  return { ...links, served, bus: new ThreadMessageBus(links.there) };
};

const openIn = ({ path }: TemporaryFolder, journal?: ChannelJournal): Promise<MeasuredBus> =>
  openEmbeddedMessageBus({ file: (name) => join(path, name) }, journal ? { journal } : {});

messageBusContract('of another thread', async () => {
  const folder = await temporaryFolder();
  const bus = await openIn(folder);
  const thread = threadOn(bus);
  const opened = [{ folder, bus, thread }];
  return {
    bus: thread.bus,
    reopen: async () => {
      const copy = await temporaryFolder();
      await copyFile(join(folder.path, 'queues.lmdb'), join(copy.path, 'queues.lmdb'));
      const reopened = await openIn(copy);
      opened.unshift({ folder: copy, bus: reopened, thread: threadOn(reopened) });
      return opened[0]?.thread.bus as MeasuredBus;
    },
    dispose: async () => {
      for (const one of opened) {
        await one.thread.bus.close();
        one.thread.close();
        await one.bus.close();
        await one.folder.remove();
      }
    },
  };
});

describe('the bus of several threads', () => {
  let folder: TemporaryFolder;
  let bus: MeasuredBus;
  let threads: ThreadOnBus[];

  const newThread = (options?: Options): ThreadOnBus => {
    const thread = threadOn(bus, options);
    threads.push(thread);
    return thread;
  };
  const readOn = async (on: Pick<MeasuredBus, 'read'>): Promise<Note[]> => {
    const received: Note[] = [];
    await on.read(notes, { interest: 'all' }, (note) => received.push(note));
    return received;
  };

  beforeEach(async () => {
    folder = await temporaryFolder();
    bus = await openIn(folder);
    threads = [];
  });

  afterEach(async () => {
    for (const thread of threads) {
      await thread.bus.close();
      thread.close();
    }
    await bus.close();
    await folder.remove();
  });

  it('has one order for the readers of all threads', async () => {
    const [one, other] = [newThread(), newThread()];
    const readers = [await readOn(one.bus), await readOn(other.bus), await readOn(bus)];
    const sent = numbered(200, 'a', 'b', 'c');
    const senders = [one.bus, other.bus, bus] as const;
    await Promise.all(sent.map((note, n) => (senders[n % 3] as MeasuredBus).send(notes, note, 'stored')));
    await eventually(() => readers.every(({ length }) => length === sent.length));
    expect(readers[1]).to.eql(readers[0]);
    expect(readers[2]).to.eql(readers[0]);
  });

  it('has handed a record to the readers of the sending thread when it is stored', async () => {
    const { bus: own } = newThread();
    const received = await readOn(own);
    for (const note of numbered(20, 'a')) {
      await own.send(notes, note, 'stored');
      expect(received.at(-1)).to.eql(note);
    }
  });

  it('encodes a record once for all threads, and not at all where it came from one', async () => {
    const encoded = new EncodedRecords();
    const [one, other] = [newThread({ encoded }), newThread({ encoded })];
    const record = { key: 'a', value: 1 };
    const own: Note[] = [];
    await bus.read(notes, { interest: 'all' }, (note) => own.push(note));
    await Promise.all([readOn(one.bus), readOn(other.bus)]);
    expect(encoded.of(notes, record)).to.equal(encoded.of(notes, record));
    await one.bus.send(notes, record, 'stored');
    const bytes = encoded.of(
      { codec: { ...notes.codec, encode: () => expect.fail('again') } },
      own[0] as Note,
    );
    expect(JSON.parse(Buffer.from(bytes.bytes).toString())).to.eql(record);
  });

  it('gives the sender what it has sent as it was, and decodes it for others alone', async () => {
    const [one, other] = [newThread(), newThread()];
    const [own, others] = [await readOn(one.bus), await readOn(other.bus)];
    const sent = numbered(3, 'a');
    for (const note of sent) await one.bus.send(notes, note, 'stored');
    await eventually(() => others.length === 3);
    expect(others).to.eql(sent);
    expect(own.map((note, n) => note === sent[n])).to.eql([true, true, true]);
    expect(others.map((note, n) => note === sent[n])).to.eql([false, false, false]);
  });

  it('is stored only when what else has to be durable is', async () => {
    const committed = gate();
    const { bus: own } = newThread({ stored: () => committed.passed });
    let isStored = false;
    const received = await readOn(own);
    const sending = own.send(notes, { key: 'a', value: 1 }, 'stored').then(() => (isStored = true));
    await own.send(notes, { key: 'a', value: 2 }, 'none');
    await eventually(() => received.length === 2);
    expect(isStored).to.equal(false);
    committed.open();
    await sending;
  });

  it('knows where the reader of a key is while its records are kept', async () => {
    let next = 7;
    const journal: ChannelJournal = {
      channel: notes.name,
      isKept: (record) => (record as Note).value !== 'other',
      get next() {
        return next;
      },
      append: async () => next++,
    };
    const keeping = await temporaryFolder();
    const keepingBus = await openIn(keeping, journal);
    const thread = threadOn(keepingBus);
    const passed: (readonly [unknown, number])[] = [];
    const reader = await thread.bus.read(notes, { interest: 'subscribed' }, ({ value }, offset) => {
      passed.push([value, offset]);
    });
    await reader.subscribe('a');
    expect(reader.next('a')).to.equal(7);
    await thread.bus.send(notes, { key: 'a', value: 'other' }, 'stored');
    expect(reader.next('a')).to.equal(7);
    expect(await thread.bus.send(notes, { key: 'a', value: 'kept' }, 'stored')).to.equal(7);
    expect(reader.next('a')).to.equal(8);
    expect(passed).to.eql([
      ['other', 0],
      ['kept', 7],
    ]);
    await thread.bus.close();
    thread.close();
    await keepingBus.close();
    await keeping.remove();
  });

  it('gives a job of a thread that has died to another one', async () => {
    const [dying, other] = [newThread(), newThread()];
    const begun: unknown[] = [];
    await dying.bus.work(jobs, { concurrency: 1 }, ({ value }) => {
      begun.push(value);
      return new Promise(() => undefined);
    });
    await bus.put(jobs, { key: 'a', value: 1 });
    await eventually(() => begun.length === 1);
    dying.close();
    await dying.served.close();
    const done: unknown[] = [];
    await other.bus.work(jobs, { concurrency: 1 }, async ({ value }) => void done.push(value));
    await eventually(() => done.length === 1, { withinMs: 10_000, what: 'the job elsewhere' });
  });

  it('is out of reach where the thread that has it has ended', async () => {
    const thread = newThread();
    const sending = thread.bus.send(notes, { key: 'a', value: 1 }, 'stored');
    thread.close();
    const outcome = await sending.catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(EngineUnavailable);
    expect(thread.bus.reachable).to.equal(false);
  });

  it('knows every topic of the bus by its name', () => {
    const known = new Set([...everyChannel, ...everyQueue].map(({ name }) => name));
    expect(known).to.eql(new Set(busTopics.map(({ name }) => name)));
  });
});
