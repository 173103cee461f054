import { randomUUID } from 'node:crypto';
import { access } from 'node:fs/promises';
import { openEmbeddedAccessLog } from '@roomwire/shared/adapters/access-log/embeddedAccessLog';
import { openEmbeddedAuditIndex } from '@roomwire/shared/adapters/audit-index/embeddedAuditIndex';
import { openEmbeddedConnectionRecord } from '@roomwire/shared/adapters/connection-record/embeddedConnectionRecord';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openEmbeddedGroupStore } from '@roomwire/shared/adapters/group-store/embeddedGroupStore';
import { openEmbeddedHistoryIndex } from '@roomwire/shared/adapters/history-index/embeddedHistoryIndex';
import { openEmbeddedJobStore } from '@roomwire/shared/adapters/job-store/embeddedJobStore';
import { openDataFolder, type DataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { openEmbeddedMessageBus } from '@roomwire/shared/adapters/message-bus/embeddedMessageBus';
import { openEmbeddedMessageStore } from '@roomwire/shared/adapters/message-store/embeddedMessageStore';
import { openEmbeddedActivityStore } from '@roomwire/shared/adapters/activity-store/embeddedActivityStore';
import { openEmbeddedPayloadStore } from '@roomwire/shared/adapters/payload-store/embeddedPayloadStore';
import { openEmbeddedPublishIds } from '@roomwire/shared/adapters/publish-ids/embeddedPublishIds';
import { openEmbeddedRoomEventStore } from '@roomwire/shared/adapters/room-event-store/embeddedRoomEventStore';
import { openEmbeddedScheduleStore } from '@roomwire/shared/adapters/schedule-store/embeddedScheduleStore';
import { openEmbeddedSessionStore } from '@roomwire/shared/adapters/session-store/embeddedSessionStore';
import { openEmbeddedShardLeases } from '@roomwire/shared/adapters/shard-leases/embeddedShardLeases';
import { openEmbeddedSnapshotStore } from '@roomwire/shared/adapters/snapshot-store/embeddedSnapshotStore';
import { openEmbeddedViewStores } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { HistoryJournal } from '@roomwire/shared/history/historyJournal';
import { IndexedHistory } from '@roomwire/shared/history/indexedHistory';
import type { BusEngine, EventLogEngine, ReadModelEngine } from './engine.js';

const files = { name: 'files', onFiles: true, settings: {}, remedies: {} } as const;

export const eventLogOnFiles: EventLogEngine = {
  ...files,
  open: async ({ folder }) => openEmbeddedEventLog(await folder()),
  // The doctor inspects the data folder as a whole.
  inspect: async () => [],
};

export const readModelsOnFiles: ReadModelEngine = {
  ...files,
  openViewStores: async ({ folder, logger }) => openEmbeddedViewStores(await folder(), { logger }),
  openAuditIndex: async ({ folder }) => openEmbeddedAuditIndex(await folder()),
  openSessions: async ({ folder }) => openEmbeddedSessionStore(await folder(), Date.now()),
  openGroups: async ({ folder, logger }) => openEmbeddedGroupStore(await folder(), { logger }),
  openAccessLog: async ({ folder }) => openEmbeddedAccessLog(await folder()),
  openActivity: async ({ folder }) => openEmbeddedActivityStore(await folder()),
  openSnapshots: async ({ folder }) => openEmbeddedSnapshotStore(await folder()),
  openPublishIds: async ({ folder, deduplicationMs, logger }) =>
    openEmbeddedPublishIds(await folder(), { windowMs: deduplicationMs, owner: randomUUID(), logger }),
  openHistoryIndex: async ({ folder }) => openEmbeddedHistoryIndex(await folder()),
  openRoomEvents: async ({ folder }) => openEmbeddedRoomEventStore(await folder()),
  openSchedules: async ({ folder }) => openEmbeddedScheduleStore(await folder()),
  openJobs: async ({ folder }) => openEmbeddedJobStore(await folder()),
  openShardLeases: async ({ folder }) => openEmbeddedShardLeases(await folder(), Date.now()),
  openConnectionRecord: async ({ folder, connectionRecordBytes }) =>
    openEmbeddedConnectionRecord(await folder(), connectionRecordBytes),
  openPayloads: async ({ folder, payloadLimits }) => openEmbeddedPayloadStore(await folder(), payloadLimits),
  inspect: async () => ({ findings: [], checkpoints: undefined }),
};

export const busOnFiles: BusEngine = {
  ...files,
  async open({ folder, historyIndex, logger }) {
    const opened = await folder();
    const index = await historyIndex();
    const journal = await HistoryJournal.open(index, systemClock);
    return {
      bus: await openEmbeddedMessageBus(opened, { logger, journal }),
      openMessageStore: async () => openEmbeddedMessageStore(opened, { logger }),
      openHistory: async () => new IndexedHistory(index, journal),
    };
  },
  inspect: async () => [],
};

/** In a data folder that a restore has not filled yet: a start on it would take it for a new one, or for an older one. */
export const unfinishedMark = 'restore.unfinished';

/** Opens the data folder; rejects where a restore into it was interrupted. */
export const openWholeFolder = async (
  path: string,
  onOpened: (folder: DataFolder) => void,
): Promise<DataFolder> => {
  const folder = await openDataFolder(path);
  onOpened(folder);
  const isUnfinished = await access(folder.file(unfinishedMark)).then(
    () => true,
    () => false,
  );
  if (isUnfinished)
    throw new Error(`A restore into ${folder.path} was interrupted: run it again, with the same backup`);
  return folder;
};
