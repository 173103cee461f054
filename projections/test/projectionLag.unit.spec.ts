import { expect } from 'chai';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder, type DataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import type { NewEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';
import { collectedMetrics } from '@roomwire/testing/run/collectedMetrics';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { projectionLag } from '../src/projectionLag.js';
import { newEvent } from './support/history.js';

const began = Date.UTC(2026, 0, 1);

describe('projection lag', () => {
  let files: TemporaryFolder;
  let folder: DataFolder;
  let log: EventLog;

  beforeEach(async () => {
    files = await temporaryFolder();
    folder = await openDataFolder(files.path);
    log = await openEmbeddedEventLog(folder);
  });
  afterEach(async () => {
    await log.close();
    await folder.close();
    await files.remove();
  });

  /** One event a second, from the beginning of the year on. */
  const append = async (count: number): Promise<readonly LogPosition[]> => {
    const deleted = { type: 'RoomDeleted', data: { roomId: 'r', appId: 'a' } } as const;
    const events = Array.from({ length: count }, (_, n) => newEvent(deleted, n));
    await log.append('s', 'none', events as [NewEvent, ...NewEvent[]]);
    const positions: LogPosition[] = [];
    for await (const batch of log.readAll()) positions.push(...batch.map(({ position }) => position));
    return positions;
  };

  const lagAt = async (checkpoint: LogPosition | undefined, seconds: number, of: EventLog = log) => {
    const clock = { now: () => began + seconds * 1_000, monotonic: () => 0 };
    const projections = [{ name: 'read-models', checkpoint: async () => checkpoint }];
    const shown = await collectedMetrics(projectionLag({ log: of, clock, projections }));
    return ['events', 'seconds'].map((unit) => shown.get(`roomwire_projection_lag_${unit} read-models`));
  };

  it('is zero for an empty log', async () => {
    expect(await lagAt(undefined, 100)).to.eql([0, 0]);
    // Of a log that was there before.
    expect(await lagAt('0000000000000007', 100)).to.eql([0, 0]);
  });

  it('is the age of the first missing event', async () => {
    const positions = await append(10);
    expect(await lagAt(undefined, 100)).to.eql([10, 100]);
    expect(await lagAt(positions[6], 100)).to.eql([3, 93]);
    // Another machine's clock is ahead.
    expect(await lagAt(positions[6], 5)).to.eql([3, 0]);
  });

  it('reads nothing of a log that was followed to its end', async () => {
    const positions = await append(10);
    const unreadable = Object.assign(Object.create(log) as EventLog, {
      head: () => log.head(),
      readAll: () => expect.fail('It was read'),
    });
    expect(await lagAt(positions.at(-1), 100, unreadable)).to.eql([0, 0]);
  });

  it('stops counting at a limit', async () => {
    await append(2_600);
    let batches = 0;
    const counted = Object.assign(Object.create(log) as EventLog, {
      head: () => log.head(),
      async *readAll() {
        for await (const batch of log.readAll()) {
          batches += 1;
          yield batch;
        }
      },
    });
    expect(await lagAt(undefined, 10_000, counted)).to.eql([1_000, 10_000]);
    expect(batches).to.equal(2);
  });
});
