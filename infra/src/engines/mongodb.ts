import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import type { EngineRow, ReadModelEngine } from './engine.js';
import type { Remedies } from './refusals.js';
import { failure, judgeClock, judgeVersion, ok, warning, type Finding } from './finding.js';

const name = 'MongoDB';
const variable = 'ROOMWIRE_MONGODB_URL';
const oldest = [5, 0] as const;

const remedies: Remedies = {
  certificate: `Name the authority of its certificate by tlsCAFile in ${variable}, and tls=true where it has TLS`,
  password: `Correct the user, the password and the authSource in ${variable}`,
  rights: `Name in ${variable} a user that may read and write the database`,
  'no leader': 'Start the other members of its replica set: more than half of them must run',
  'unknown host': `Correct the address in ${variable}`,
  away: `Start it, and check the address in ${variable} and the network`,
};

const mongodb = (url: string): ReadModelEngine => ({
  ...{ name, onFiles: false, settings: { url }, remedies },
  async openViewStores({ outage, reader }) {
    const { openMongoViewStores } = await import('@roomwire/shared/adapters/view-store/mongo/mongoViewStore');
    return openMongoViewStores({ url, outage, reader });
  },
  async openAuditIndex({ outage }) {
    const { openMongoAuditIndex } = await import('@roomwire/shared/adapters/audit-index/mongoAuditIndex');
    return openMongoAuditIndex({ url, outage });
  },
  async openSessions({ outage }) {
    const { openMongoSessionStore } =
      await import('@roomwire/shared/adapters/session-store/mongoSessionStore');
    return openMongoSessionStore({ url, outage });
  },
  async openGroups({ outage }) {
    const { openMongoGroupStore } = await import('@roomwire/shared/adapters/group-store/mongoGroupStore');
    return openMongoGroupStore({ url, outage });
  },
  async openActivity({ outage }) {
    const { openMongoActivityStore } =
      await import('@roomwire/shared/adapters/activity-store/mongoActivityStore');
    return openMongoActivityStore({ url, outage });
  },
  async openAccessLog({ outage }) {
    const { openMongoAccessLog } = await import('@roomwire/shared/adapters/access-log/mongoAccessLog');
    return openMongoAccessLog({ url, outage });
  },
  async openSnapshots({ outage }) {
    const { openMongoSnapshotStore } =
      await import('@roomwire/shared/adapters/snapshot-store/mongoSnapshotStore');
    return openMongoSnapshotStore({ url, outage });
  },
  async openPublishIds({ deduplicationMs, outage, logger }) {
    const { openMongoPublishIds } = await import('@roomwire/shared/adapters/publish-ids/mongoPublishIds');
    return openMongoPublishIds({ url, outage }, { windowMs: deduplicationMs, logger });
  },
  async openHistoryIndex({ outage }) {
    const { openMongoHistoryIndex } =
      await import('@roomwire/shared/adapters/history-index/mongoHistoryIndex');
    return openMongoHistoryIndex({ url, outage });
  },
  async openRoomEvents({ outage }) {
    const { openMongoRoomEventStore } =
      await import('@roomwire/shared/adapters/room-event-store/mongoRoomEventStore');
    return openMongoRoomEventStore({ url, outage });
  },
  async openSchedules({ outage }) {
    const { openMongoScheduleStore } =
      await import('@roomwire/shared/adapters/schedule-store/mongoScheduleStore');
    return openMongoScheduleStore({ url, outage });
  },
  async openJobs({ outage }) {
    const { openMongoJobStore } = await import('@roomwire/shared/adapters/job-store/mongoJobStore');
    return openMongoJobStore({ url, outage });
  },
  async openShardLeases({ outage, logger }) {
    const { openMongoShardLeases } = await import('@roomwire/shared/adapters/shard-leases/mongoShardLeases');
    return openMongoShardLeases({ url, outage }, { clock: systemClock, random: systemRandom, logger });
  },
  async openConnectionRecord({ outage }) {
    const { openMongoConnectionRecord } =
      await import('@roomwire/shared/adapters/connection-record/mongo/mongoConnectionRecord');
    return openMongoConnectionRecord({ url, outage });
  },
  async openPayloads({ payloadLimits, outage }) {
    const { openMongoPayloadStore } =
      await import('@roomwire/shared/adapters/payload-store/mongoPayloadStore');
    return openMongoPayloadStore({ url, outage }, payloadLimits);
  },
  async inspect() {
    const { inspectMongo } = await import('@roomwire/shared/adapters/view-store/mongo/inspectMongo');
    const state = await inspectMongo({ url });
    return {
      findings: [
        judgeVersion(name, state.version, oldest),
        state.isReplicaSet
          ? ok(name, 'a replica set')
          : warning(
              name,
              'stands alone',
              'Make it a replica set, where it must survive the loss of a machine',
            ),
        ...(state.isPrimary ? [] : [notPrimary]),
        judgeIndexes(state.missingIndexes),
        judgeClock(name, state.clockAheadMs),
        ...(state.isBuilding ? [unfinishedRebuild] : []),
        ...judgeReaders(state.readers),
      ],
      checkpoints: new Map([
        ['read models', state.views],
        ['audit index', state.audit],
      ]),
    };
  },
  keptDocuments: {
    async read(write) {
      const { readBackupDocuments } =
        await import('@roomwire/shared/adapters/view-store/mongo/backupCollections');
      return readBackupDocuments({ url }, write);
    },
    async write(lines) {
      const { writeBackupDocuments } =
        await import('@roomwire/shared/adapters/view-store/mongo/backupCollections');
      return writeBackupDocuments({ url }, lines);
    },
  },
});

export const mongodbRow: EngineRow<ReadModelEngine> = {
  variable,
  read(read) {
    const url = read.engineUrl(variable, ['mongodb:', 'mongodb+srv:']);
    return url === undefined ? undefined : mongodb(url);
  },
};

const notPrimary = failure(
  name,
  'this member is not the primary, which alone takes writes',
  `Name all members and the replicaSet in ${variable}, without directConnection`,
);

const unfinishedRebuild = warning(
  'rebuild',
  'one is under way, or was killed',
  'Where none runs, run `roomwire projections rebuild` again',
);

/** By version: where there are several, an upgrade is under way. */
const judgeReaders = (readers: ReadonlyMap<number, readonly string[]>): readonly Finding[] => {
  const described = [...readers].map(([version, names]) => `version ${version} by ${names.join(', ')}`);
  const message = `read models of ${described.join('; of ')}`;
  if (readers.size === 0) return [];
  return readers.size === 1
    ? [ok('readers', message)]
    : [warning('readers', message, 'Finish the upgrade: keep a projections of each version until then')];
};

const judgeIndexes = (missing: readonly string[] | undefined): Finding => {
  if (missing === undefined) return ok('indexes', 'there are no read models yet');
  if (missing.length === 0) return ok('indexes', 'all there');
  return failure('indexes', `missing: ${missing.join(', ')}`, 'Restart projections, which makes them');
};
