import { expect } from 'chai';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openEmbeddedJobStore } from '@roomwire/shared/adapters/job-store/embeddedJobStore';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import type { DomainEvent } from '@roomwire/shared/domain/events';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { JobStore } from '@roomwire/shared/ports/jobStore';
import type { Service } from '@roomwire/shared/runtime/service';
import { groupOf, shard } from '@roomwire/testing/contracts/job-store/storedJobs';
import { silentLogger as logger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { createJobKeeper } from '../src/jobKeeper.js';
import { newEvent } from './support/history.js';

const scoped = groupOf('scoped', {
  owners: { projectId: 'p', appId: 'app', roomId: 'room', accessScopeId: 'scope' },
});
const other = groupOf('other', {
  owners: { projectId: 'q', appId: 'other', roomId: 'hall', accessScopeId: null },
});

describe('the keeper of jobs', () => {
  let clock: ManualClock;
  let log: EventLog;
  let jobs: JobStore;
  let keeper: Service | undefined;
  let close: () => Promise<void>;
  let revision: number | 'none';

  beforeEach(async () => {
    clock = new ManualClock();
    revision = 'none';
    const temporary = await temporaryFolder();
    const folder = await openDataFolder(temporary.path);
    log = await openEmbeddedEventLog(folder);
    jobs = await openEmbeddedJobStore(folder);
    close = async () => {
      await keeper?.close();
      for (const each of [log, jobs, folder]) await each.close();
      await temporary.remove();
    };
    await jobs.take(shard, 1);
    await jobs.write(scoped, 1);
    await jobs.write(other, 1);
  });
  afterEach(() => close());

  const start = async (pruneEveryMs = 60_000, store = jobs): Promise<void> => {
    keeper = createJobKeeper({ log, jobs: store, clock, logger, pruneEveryMs });
    await keeper.start();
  };
  const append = async (event: DomainEvent): Promise<void> => {
    const made = newEvent(event, 0);
    const metadata = { ...made.metadata, occurredAt: new Date(clock.now()).toISOString() };
    ({ revision } = await log.append('s', revision, [{ ...made, metadata }]));
  };
  const names = async (): Promise<readonly string[]> =>
    [await jobs.group('scoped'), await jobs.group('other')].flatMap((group) => group?.groupId ?? []);

  const owners: readonly (readonly [string, DomainEvent])[] = [
    ['project', { type: 'ProjectDeleted', data: { projectId: 'p' } }],
    ['app', { type: 'AppDeleted', data: { appId: 'app' } }],
    ['room', { type: 'RoomDeleted', data: { appId: 'app', roomId: 'room' } }],
    ['scope', { type: 'ScopeDeleted', data: { accessScopeId: 'scope' } }],
  ];
  for (const [what, event] of owners)
    it(`removes groups with their ${what}, and no other`, async () => {
      await start();
      await append(event);
      await eventually(async () => (await names()).length === 1);
      expect(await names()).to.eql(['other']);
    });

  it('removes what was deleted while no keeper was there', async () => {
    await append({ type: 'RoomDeleted', data: { appId: 'app', roomId: 'room' } });
    await start();
    await eventually(async () => (await names()).length === 1);
  });

  it('removes a group that was made by somebody who had not heard of the deletion', async () => {
    /** Behind the first removal, and before the second. */
    let late: Promise<unknown> | undefined;
    const removeOf = (owners: readonly string[]): Promise<readonly string[]> => {
      const removed = Promise.resolve(late).then(() => jobs.removeOf(owners));
      late ??= removed.then(() => jobs.write({ ...scoped, groupId: 'late' }, 1));
      return removed;
    };
    await start(5, Object.assign(Object.create(jobs) as JobStore, { removeOf }));
    await append({ type: 'RoomDeleted', data: { appId: 'app', roomId: 'room' } });
    await eventually(() => late !== undefined);
    await late;
    await eventually(async () => (await jobs.group('late')) === undefined);
    expect(await names()).to.eql(['other']);
  });
});
