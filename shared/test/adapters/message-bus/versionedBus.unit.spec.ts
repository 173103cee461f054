import { join } from 'node:path';
import { expect } from 'chai';
import { messageBusContract } from '@roomwire/testing/contracts/message-bus/messageBusContract';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { openEmbeddedMessageBus } from '../../../src/adapters/message-bus/embeddedMessageBus.js';
import { VersionedBus } from '../../../src/adapters/message-bus/versionedBus.js';
import { EngineUnavailable } from '../../../src/ports/errors.js';
import type { Acknowledgement, MeasuredBus } from '../../../src/ports/messageBus.js';
import type { Channel, WorkQueue } from '../../../src/wire/bus/channel.js';
import { readerAnnouncements, type ReaderAnnouncement } from '../../../src/wire/bus/readers.js';
import { first, second } from './releases.js';

const quick = { beatMs: 10, settlingMs: 30, silenceMs: 300 };

messageBusContract('versioned', async () => {
  const folder = await temporaryFolder();
  const bus = new VersionedBus(await openEmbeddedMessageBus({ file: (name) => join(folder.path, name) }));
  return {
    bus,
    dispose: async () => {
      await bus.close();
      await folder.remove();
    },
  };
});

/** The bus of a process that encodes what it sends and decodes what it reads, as between processes. */
const encoding = (bus: MeasuredBus, unreadable: string[]): MeasuredBus =>
  Object.assign(Object.create(bus) as MeasuredBus, {
    send: <T>(channel: Channel<T>, record: T) =>
      bus.send(bytesOf(channel), channel.codec.encode(record), 'stored'),
    put: <T>(queue: WorkQueue<T>, job: T) =>
      bus.put({ ...queue, ...bytesOf(queue) }, queue.codec.encode(job)),
    read: <T>(channel: Channel<T>, options: { interest: 'all' }, onRecord: (record: T) => void) =>
      bus.read(bytesOf(channel), options, (bytes) => {
        try {
          onRecord(channel.codec.decode(bytes));
        } catch (error) {
          unreadable.push((error as Error).message);
        }
      }),
    work: <T>(queue: WorkQueue<T>, options: { concurrency: number }, handle: (job: T) => Promise<void>) =>
      bus.work({ ...queue, ...bytesOf(queue) }, options, (bytes) => handle(queue.codec.decode(bytes))),
    close: async () => undefined,
  });

const bytesOf = ({ name }: { readonly name: string }): Channel<Uint8Array> => ({
  name,
  key: () => 'one',
  codec: { encode: (bytes) => bytes, decode: (bytes) => bytes },
});

describe('a bus between releases', () => {
  let folder: TemporaryFolder;
  let shared: MeasuredBus;
  let unreadable: string[];
  let opened: VersionedBus[];
  const announcements: ReaderAnnouncement[] = [];

  const newProcess = (bus = encoding(shared, unreadable)): VersionedBus => {
    const versioned = new VersionedBus(bus, quick);
    opened.push(versioned);
    return versioned;
  };
  const writes = (bus: VersionedBus, version: number): Promise<void> =>
    eventually(() => bus.versionOf(second.texts) === version, { what: `version ${version}` });

  beforeEach(async () => {
    folder = await temporaryFolder();
    shared = await openEmbeddedMessageBus({ file: (name) => join(folder.path, name) });
    [unreadable, opened] = [[], []];
    announcements.length = 0;
    await encoding(shared, unreadable).read(readerAnnouncements, { interest: 'all' }, (announcement) =>
      announcements.push(announcement),
    );
  });
  afterEach(async () => {
    await Promise.all(opened.map((bus) => bus.close()));
    await shared.close();
    await folder.remove();
  });

  it('writes the previous version until every reader reads the new one', async () => {
    const [writer, older, newer] = [newProcess(), newProcess(), newProcess()];
    const got: { older: string[]; newer: string[] } = { older: [], newer: [] };
    await older.read(first.texts, { interest: 'all' }, (text) => void got.older.push(text));
    await newer.read(second.texts, { interest: 'all' }, (text) => void got.newer.push(text));
    await eventually(() => announcements.filter(({ reads }) => reads['texts'] !== undefined).length > 10);
    await writer.send(second.texts, 'side-by-side', 'stored');
    await older.close();
    await writes(writer, 2);
    await writer.send(second.texts, 'alone', 'stored');
    expect(got.newer).to.deep.equal(['side-by-side in 1', 'alone in 2']);
    expect(got.older).to.deep.equal(['side-by-side in 1']);
  });

  it('goes back to the previous version when a reader of that comes', async () => {
    const [writer, newer] = [newProcess(), newProcess()];
    await newer.read(second.texts, { interest: 'all' }, () => undefined);
    await writes(writer, 2);
    const older = newProcess();
    const got: string[] = [];
    await older.read(first.texts, { interest: 'all' }, (text) => void got.push(text));
    // Announced before it read: nothing that is written from now on is lost to it.
    await writer.send(second.texts, 'at-once', 'stored');
    expect(got).to.deep.equal(['at-once in 1']);
    expect(unreadable).to.deep.equal([]);
  });

  it('does so for jobs as well, and for topics by themselves', async () => {
    const [writer, older, newer] = [newProcess(), newProcess(), newProcess()];
    const done: string[] = [];
    await older.work(first.jobs, { concurrency: 1 }, async (job) => void done.push(job));
    await newer.read(second.texts, { interest: 'all' }, () => undefined);
    await writes(writer, 2);
    expect(writer.versionOf(second.jobs)).to.equal(1);
    await writer.put(second.jobs, 'job');
    await eventually(() => done.length === 1);
    expect(done).to.deep.equal(['job in 1']);
  });

  it('writes the previous version while nobody is known to read', async () => {
    const writer = newProcess();
    await eventually(() => announcements.length > 10);
    expect(writer.versionOf(second.texts)).to.equal(1);
  });

  it('waits for a reader that died as long as for one that may come back', async () => {
    const [writer, newer] = [newProcess(), newProcess()];
    await newer.read(second.texts, { interest: 'all' }, () => undefined);
    await writes(writer, 2);
    await encoding(shared, unreadable).send(
      readerAnnouncements,
      { reader: 'killed', reads: { texts: 1 } },
      'stored',
    );
    const announcedBefore = announcements.length;
    await eventually(() => announcements.length > announcedBefore + 20);
    expect(writer.versionOf(second.texts)).to.equal(1);
    await writes(writer, 2);
  });

  it('announces again what a bus that is busy did not store', async () => {
    const bus = encoding(shared, unreadable);
    let refusals = 0;
    const send = <T>(channel: Channel<T>, record: T, acknowledgement: Acknowledgement) => {
      const { reads } = record as ReaderAnnouncement;
      if (reads?.['texts'] === undefined || refusals === 2) return bus.send(channel, record, acknowledgement);
      refusals += 1;
      return Promise.reject(new EngineUnavailable('message bus'));
    };
    const reader = newProcess(Object.assign(Object.create(bus) as MeasuredBus, { send }));
    await reader.read(second.texts, { interest: 'all' }, () => undefined);
    expect(refusals).to.equal(2);
  });

  it('does not read what it could not announce', async () => {
    const bus = encoding(shared, unreadable);
    let isAway = true;
    const send = <T>(channel: Channel<T>, record: T, acknowledgement: Acknowledgement) =>
      isAway
        ? Promise.reject(new EngineUnavailable('message bus'))
        : bus.send(channel, record, acknowledgement);
    const reader = newProcess(Object.assign(Object.create(bus) as MeasuredBus, { send }));
    const got: string[] = [];
    const read = () => reader.read(second.texts, { interest: 'all' }, (text) => void got.push(text));
    const refused = await read().catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(EngineUnavailable);
    isAway = false;
    await read();
    await encoding(shared, unreadable).send(second.texts, 'text', 'stored');
    expect(got).to.deep.equal(['text in 2']);
  });
});
