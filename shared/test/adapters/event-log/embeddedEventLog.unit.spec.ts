import { open } from 'lmdb';
import { expect } from 'chai';
import { openEmbeddedEventLog } from '../../../src/adapters/event-log/embeddedEventLog.js';
import { openDataFolder, type DataFolder } from '../../../src/adapters/lmdb/dataFolder.js';
import type { RecordedEvent } from '../../../src/domain/eventEnvelope.js';
import { EngineUnavailable } from '../../../src/ports/errors.js';
import type { EventLog } from '../../../src/ports/eventLog.js';
import {
  allEvents,
  flattened,
  newEvent,
  newEvents,
  rejectionOf,
  streamEvents,
} from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { RecordingSubscriber } from '@roomwire/testing/contracts/event-log/recordingSubscriber';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';

const batchesOf = async (batches: AsyncIterable<readonly RecordedEvent[]>) => {
  const sizes: number[] = [];
  for await (const batch of batches) sizes.push(batch.length);
  return sizes;
};

describe('the embedded event log', () => {
  let temporary: TemporaryFolder;
  let folder: DataFolder;
  let log: EventLog;

  beforeEach(async () => {
    temporary = await temporaryFolder();
    folder = await openDataFolder(temporary.path);
    log = await openEmbeddedEventLog(folder);
  });
  afterEach(async () => {
    await log.close();
    await folder.close();
    await temporary.remove();
  });

  describe('reading', () => {
    it('limits a batch by the number of events', async () => {
      await log.append('room-1', 'none', newEvents(1200));
      expect(await batchesOf(log.readAll())).to.deep.equal([500, 500, 200]);
      expect(await batchesOf(log.readStream('room-1'))).to.deep.equal([500, 500, 200]);
    });

    it('limits a batch by its size', async () => {
      const large = Array.from({ length: 11 }, () => newEvent('x'.repeat(1024 * 1024)));
      await log.append('room-1', 'none', [newEvent(), ...large]);
      for (const batches of [log.readAll(), log.readStream('room-1')]) {
        const sizes = await batchesOf(batches);
        expect(Math.max(...sizes)).to.be.lessThan(7);
        expect(sizes.reduce((sum, size) => sum + size)).to.equal(12);
      }
    });

    it('yields to the event loop between two batches', async () => {
      await log.append('room-1', 'none', newEvents(1500));
      for (const batches of [log.readAll(), log.readStream('room-1')]) {
        let turns = 0;
        const counting = setInterval(() => undefined, 1000);
        const count = () => {
          turns += 1;
          immediate = setImmediate(count);
        };
        let immediate = setImmediate(count);
        expect(await batchesOf(batches)).to.have.length(3);
        clearImmediate(immediate);
        clearInterval(counting);
        expect(turns).to.be.at.least(2);
      }
    });

    it('includes events that are appended before it reaches the end', async () => {
      await log.append('room-1', 'none', newEvents(3));
      let count = 0;
      for await (const batch of log.readAll()) {
        if (count === 0) await log.append('room-1', 2, newEvents(2));
        count += batch.length;
      }
      expect(count).to.equal(5);
    });

    it('refuses a position of another log', async () => {
      const { position } = await log.append('room-1', 'none', newEvents(3));
      const beyond = String(Number(position) + 1).padStart(position.length, '0');
      for (const foreign of ['', '7', 'C:1/P:1', beyond]) {
        expect(await rejectionOf(flattened(log.readAll(foreign)))).to.be.instanceOf(RangeError);
        const subscription = log.subscribeAll(foreign, new RecordingSubscriber());
        expect(await rejectionOf(subscription.done)).to.be.instanceOf(RangeError);
      }
    });

    it('ends with EngineUnavailable when the log is closed meanwhile', async () => {
      await log.append('room-1', 'none', newEvents(1200));
      const reading = log.readAll()[Symbol.asyncIterator]();
      await reading.next();
      await log.close();
      expect(await rejectionOf(reading.next())).to.be.instanceOf(EngineUnavailable);
      expect(await rejectionOf(log.head())).to.be.instanceOf(EngineUnavailable);
      const subscription = log.subscribeAll(undefined, new RecordingSubscriber());
      expect(await rejectionOf(subscription.done)).to.be.instanceOf(EngineUnavailable);
    });
  });

  describe('appending', () => {
    it('performs appends in the order of the calls', async () => {
      const results = await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          log.append('room-1', index === 0 ? 'none' : index - 1, [newEvent()]),
        ),
      );
      expect(results.map(({ revision }) => revision)).to.deep.equal([...results.keys()]);
    });

    it('writes the events as they were at the call', async () => {
      const data = { name: 'before' };
      const appended = log.append('room-1', 'none', [newEvent(data)]);
      data.name = 'after';
      await appended;
      expect((await streamEvents(log, 'room-1'))[0]?.data).to.deep.equal({ name: 'before' });
    });

    it('refuses what JSON cannot represent, and no other append with it', async () => {
      const [, error] = await Promise.all([
        log.append('room-1', 'none', [newEvent()]),
        rejectionOf(log.append('room-2', 'none', [newEvent(), newEvent({ count: 1n })])),
        log.append('room-3', 'none', [newEvent()]),
      ]);
      expect(error).to.be.instanceOf(TypeError);
      expect((await allEvents(log)).map(({ stream }) => stream)).to.deep.equal(['room-1', 'room-3']);
    });

    it('refuses a stream name that is not a valid key, and no other append with it', async () => {
      const longest = '世'.repeat(500);
      const [, ...errors] = await Promise.all([
        log.append(longest, 'none', [newEvent()]),
        rejectionOf(log.append(`${longest}世`, 'none', [newEvent()])),
        rejectionOf(log.append('', 'none', [newEvent()])),
      ]);
      for (const error of errors) expect(error).to.be.instanceOf(RangeError);
      expect(await streamEvents(log, longest)).to.have.length(1);
      expect(await streamEvents(log, 'x'.repeat(4000))).to.deep.equal([]);
      expect(await streamEvents(log, '')).to.deep.equal([]);
    });
  });

  it('refuses a file in an unknown format', async () => {
    await log.close();
    const file = open({ path: folder.file('events.lmdb'), overlappingSync: false });
    await file.openDB<number, string>('meta', { encoding: 'ordered-binary' }).put('dataFormat', 2);
    await file.close();
    const error = await rejectionOf(openEmbeddedEventLog(folder));
    expect((error as Error).message).to.match(/events\.lmdb has data format 2; this program knows format 1$/);
  });
});
