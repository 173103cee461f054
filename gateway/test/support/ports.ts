import { join } from 'node:path';
import { openEmbeddedGroupStore } from '@roomwire/shared/adapters/group-store/embeddedGroupStore';
import { openEmbeddedHistoryIndex } from '@roomwire/shared/adapters/history-index/embeddedHistoryIndex';
import { openEmbeddedJobStore } from '@roomwire/shared/adapters/job-store/embeddedJobStore';
import { openEmbeddedMessageBus } from '@roomwire/shared/adapters/message-bus/embeddedMessageBus';
import { openEmbeddedMessageStore } from '@roomwire/shared/adapters/message-store/embeddedMessageStore';
import { openEmbeddedPublishIds } from '@roomwire/shared/adapters/publish-ids/embeddedPublishIds';
import { openEmbeddedScheduleStore } from '@roomwire/shared/adapters/schedule-store/embeddedScheduleStore';
import { openEmbeddedSessionStore } from '@roomwire/shared/adapters/session-store/embeddedSessionStore';
import { LeasedShards } from '@roomwire/shared/adapters/shard-leases/leasedShards';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { openEmbeddedViewStores } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import { HistoryJournal } from '@roomwire/shared/history/historyJournal';
import { IndexedHistory } from '@roomwire/shared/history/indexedHistory';
import type { History } from '@roomwire/shared/ports/history';
import type { GroupStore } from '@roomwire/shared/ports/groupStore';
import type { JobStore } from '@roomwire/shared/ports/jobStore';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { MessageStore } from '@roomwire/shared/ports/messageStore';
import type { PublishIds } from '@roomwire/shared/ports/publishIds';
import type { ScheduleStore } from '@roomwire/shared/ports/scheduleStore';
import type { ShardLeases } from '@roomwire/shared/ports/shardLeases';
import type { RoomPast } from '@roomwire/shared/ports/roomPast';
import type { SessionStore } from '@roomwire/shared/ports/sessionStore';
import type { UsageStore } from '@roomwire/shared/ports/usageStore';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { leaseTableOn, MemoryLeases } from '@roomwire/testing/fakes/memoryLeaseTable';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';

/** What a gateway has of the bus. */
export interface BusPorts {
  readonly bus: MessageBus;
  readonly history: History;
  /** Absent where the bus keeps nothing. */
  readonly past?: RoomPast;
  /** Of this gateway, which shares the shards with the others. */
  readonly shardLeases: ShardLeases;
  record(): Promise<MessageStore>;
  close(): Promise<void>;
}

/** What the gateways of one test stand on. */
export interface Ports extends Omit<BusPorts, 'shardLeases'> {
  readonly views: ViewStore;
  readonly usage: UsageStore;
  readonly sessions: SessionStore;
  readonly publishIds: PublishIds;
  readonly jobs: JobStore;
  readonly schedules: ScheduleStore;
  groups(): Promise<GroupStore>;
  /** For one more gateway, which is a process of its own as far as the engines can tell. */
  gateway(): Promise<BusPorts>;
}

const memoized = <T>(open: () => Promise<T>): (() => Promise<T>) => {
  let opened: Promise<T> | undefined;
  return () => (opened ??= open());
};

/** On files, in a folder of their own. Processes cannot share it: the gateways are in one, and have one bus. */
export const openEmbeddedPorts = async (): Promise<Ports> => {
  const folder = await temporaryFolder();
  const files = { file: (name: string) => join(folder.path, name) };
  const closing: (() => Promise<void>)[] = [folder.remove];
  const opened = async <T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> => {
    const port = await opening;
    closing.unshift(() => port.close());
    return port;
  };
  const { views, usage } = await opened(openEmbeddedViewStores(files));
  // No projector fills them: the tests write what they read.
  await views.admitReaders(undefined);
  const sessions = await opened(openEmbeddedSessionStore(files, systemClock.now()));
  const publishIds = await opened(openEmbeddedPublishIds(files));
  const jobs = await opened(openEmbeddedJobStore(files));
  const schedules = await opened(openEmbeddedScheduleStore(files));
  const leases = new MemoryLeases();
  const index = await opened(openEmbeddedHistoryIndex(files));
  const journal = await HistoryJournal.open(index, systemClock);
  const bus = await opened(openEmbeddedMessageBus(files, { journal }));
  const history = new IndexedHistory(index, journal);
  const record = memoized(() => opened(openEmbeddedMessageStore(files)));
  return {
    views,
    usage,
    sessions,
    publishIds,
    jobs,
    schedules,
    bus,
    history,
    record,
    groups: memoized(() => opened(openEmbeddedGroupStore(files))),
    gateway: async () => {
      const shardLeases = new LeasedShards({
        ...{ table: leaseTableOn(leases), clock: systemClock, random: systemRandom, logger: silentLogger },
        times: { renewMs: 50 },
      });
      return { bus, history, record, shardLeases, close: () => shardLeases.close() };
    },
    async close() {
      for (const close of closing) await close();
    },
  };
};
