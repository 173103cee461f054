import type { Db } from 'mongodb';
import { auditVersion } from '../../../wire/audit/auditKeys.js';
import { viewIndexes, type ViewName } from '../../../wire/views/views.js';
import type { LogOrigin, LogPosition } from '../../../ports/eventLog.js';
import { withMongo, type MongoAddress } from '../../mongo/connection.js';
import { indexesOf, ViewCollections, type ViewGeneration } from './viewCollections.js';

export interface MongoCheckpoint {
  readonly checkpoint: LogPosition | undefined;
  readonly origin: LogOrigin | undefined;
}

export interface MongoState {
  readonly version: string;
  readonly isReplicaSet: boolean;
  readonly isPrimary: boolean;
  /** How far its clock is ahead of ours, give or take half of the time that the answer took. */
  readonly clockAheadMs: number;
  /** `collection (fields)` each; undefined where there are no read models of this version yet. */
  readonly missingIndexes: readonly string[] | undefined;
  readonly views: MongoCheckpoint;
  readonly audit: MongoCheckpoint;
  /** A rebuild is running, or was killed. */
  readonly isBuilding: boolean;
  /** The processes that read the read models: their names, by version. */
  readonly readers: ReadonlyMap<number, readonly string[]>;
}

/** Queries a server without changing it. Rejects where it does not answer. */
export const inspectMongo = (address: MongoAddress): Promise<MongoState> =>
  withMongo(address, async (database) => {
    const before = Date.now();
    const hello = await database.command({ hello: 1 });
    const middle = (before + Date.now()) / 2;
    const { version } = (await database.admin().command({ buildInfo: 1 })) as unknown as { version: string };
    const collections = new ViewCollections(database);
    const progress = await collections.progress.findOne({ _id: 'projector' });
    return {
      version,
      isPrimary: hello['isWritablePrimary'] !== false,
      isReplicaSet: typeof hello['setName'] === 'string',
      clockAheadMs: hello['localTime'] instanceof Date ? hello['localTime'].getTime() - middle : 0,
      missingIndexes: progress
        ? await missingIndexes(database, collections.generation(progress.generation ?? 0))
        : undefined,
      views: { checkpoint: progress?.position, origin: progress?.origin },
      audit: await auditCheckpoint(database),
      isBuilding: progress?.building !== undefined,
      readers: await readersByVersion(collections),
    };
  });

/** Those that were killed are among them for half a minute. */
const readersByVersion = async ({
  readers,
}: ViewCollections): Promise<ReadonlyMap<number, readonly string[]>> => {
  const found = await readers.find().sort({ version: 1, name: 1 }).toArray();
  const versions = new Map<number, string[]>();
  for (const { version, name } of found) versions.set(version, [...(versions.get(version) ?? []), name]);
  return versions;
};

const auditCheckpoint = async (database: Db): Promise<MongoCheckpoint> => {
  const [progress] = await database.collection(`audit${auditVersion}_progress`).find().toArray();
  return {
    checkpoint: progress?.['position'] as LogPosition | undefined,
    origin: progress?.['origin'] as LogOrigin | undefined,
  };
};

const missingIndexes = async (database: Db, generation: ViewGeneration): Promise<string[]> => {
  const views = (Object.keys(viewIndexes) as ViewName[]).flatMap((view) =>
    indexesOf(view).map((fields) => [generation.of(view), fields] as const),
  );
  const audit = database.collection(`audit${auditVersion}_entries`);
  const expected = [
    ...views,
    [audit, ['organizationId', 'keys', 'place']] as const,
    [audit, ['isUnread', '_id']] as const,
  ];
  const missing: string[] = [];
  for (const [collection, fields] of expected) {
    const key = Object.fromEntries(fields.map((field) => [field, 1]));
    const found = await collection.indexes().catch(() => []);
    if (!found.some((index) => JSON.stringify(index.key) === JSON.stringify(key)))
      missing.push(`${collection.collectionName} (${fields.join(', ')})`);
  }
  return missing;
};
