import { expect } from 'chai';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { LogPosition } from '@roomwire/shared/ports/eventLog';
import type { Service } from '@roomwire/shared/runtime/service';
import { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { eventually } from '@roomwire/testing/run/eventually';
import type { FollowerDeps } from '../src/checkpointedFollower.js';
import { type ConnectionKeeperDeps, createConnectionKeeper } from '../src/connectionKeeper.js';
import { createHistoryKeeper, type HistoryKeeperDeps } from '../src/historyKeeper.js';
import { createJobKeeper, type JobKeeperDeps } from '../src/jobKeeper.js';
import { createPayloadKeeper, type PayloadKeeperDeps } from '../src/payloadKeeper.js';
import { createRoomEventKeeper, type RoomEventKeeperDeps } from '../src/roomEventKeeper.js';
import { createScheduleKeeper, type ScheduleKeeperDeps } from '../src/scheduleKeeper.js';
import { recordedEvent } from './support/history.js';
import { writtenLog } from './support/writtenLog.js';

/** What is kept in order, whatever it is. */
class Store {
  readonly removed: string[] = [];
  checkpoint = async (): Promise<LogPosition | undefined> => undefined;
  moveCheckpoint = async (): Promise<void> => undefined;
  removeOf = async (ids: readonly string[]): Promise<void> => void this.removed.push(...ids);
  prune = async () => ({ expired: 0, evicted: 0 });
}

type Keep = (store: Store, deps: FollowerDeps & { readonly clock: ManualClock }) => Service;

const keepers: Readonly<Record<string, Keep>> = {
  'message history': (index, deps) =>
    createHistoryKeeper({ index, history: {}, views: {}, ...deps } as unknown as HistoryKeeperDeps),
  jobs: (jobs, deps) => createJobKeeper({ jobs, ...deps } as unknown as JobKeeperDeps),
  'room events': (store, deps) => createRoomEventKeeper({ store, ...deps } as unknown as RoomEventKeeperDeps),
  payloads: (payloads, deps) =>
    createPayloadKeeper({
      payloads,
      limits: new LimitReports(deps),
      ...deps,
    } as unknown as PayloadKeeperDeps),
  'scheduled publishes': (schedules, deps) =>
    createScheduleKeeper({ schedules, ...deps } as unknown as ScheduleKeeperDeps),
  connections: (record, deps) =>
    createConnectionKeeper({
      ...{ record, keptMs: 1, isCaughtUp: async () => false },
      ...deps,
    } as unknown as ConnectionKeeperDeps),
};

const projectDeleted = recordedEvent({ type: 'ProjectDeleted', data: { projectId: 'p' } }, 4);

/** Only somebody who writes into the log by hand makes such events. */
const malformed = [
  { ...projectDeleted, type: 'AppUpdated', data: { appId: 'app', changes: null } },
  { ...projectDeleted, type: 'RoomDeleted', data: null },
  { ...projectDeleted, data: null },
].map((event, index): RecordedEvent => recordedEvent(event as never, index + 1));

describe('a malformed event', () => {
  for (const [what, keep] of Object.entries(keepers))
    it(`does not hold up the keeper of ${what}, and is logged`, async () => {
      const { logger, lines } = createRecordingLogger();
      const store = new Store();
      const log = writtenLog([...malformed, projectDeleted]);
      const keeper = keep(store, { log, logger, clock: new ManualClock() });
      await keeper.start();
      await eventually(() => log.isFollowed);
      await log.deliver(...malformed, projectDeleted);
      await keeper.close();
      expect(store.removed).to.eql(['p']);
      const skipped = lines.filter(({ message }) => message === 'An event was skipped');
      expect(skipped.at(-1)?.fields).to.deep.include({ eventId: malformed[2]?.id, type: 'ProjectDeleted' });
      expect(lines.every(({ message }) => message === 'An event was skipped')).to.equal(true);
    });
});
