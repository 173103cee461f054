import { MongoClient } from 'mongodb';
import { auditVersion } from '../../../wire/audit/auditKeys.js';
import { viewIndexes, type ViewName } from '../../../wire/views/views.js';
import type { LogPosition } from '../../../ports/eventLog.js';
import { clientSettings } from './clientSettings.js';
import { databaseOf, type MongoPlace } from './openOnMongo.js';
import type { Progress } from './progressRecord.js';
import { ViewCollections } from './viewCollections.js';
import { distinctIndexes } from './viewGeneration.js';

export interface MongoState {
  readonly version: string;
  readonly isReplicaSet: boolean;
  /** How far its clock is ahead of ours, give or take half of the time that the answer took. */
  readonly clockAheadMs: number;
  /** `collection (fields)` each; undefined where there are no read models of this version yet. */
  readonly missingIndexes: readonly string[] | undefined;
  readonly viewsCheckpoint: LogPosition | undefined;
  readonly auditCheckpoint: LogPosition | undefined;
  /** A rebuild that is under way, or was killed. */
  readonly isBuilding: boolean;
}

/** Asks a server and changes nothing on it. Rejects where it does not answer. */
export const inspectMongo = async (place: MongoPlace): Promise<MongoState> => {
  const client = new MongoClient(place.url, clientSettings);
  try {
    await client.connect();
    const database = client.db(databaseOf(place));
    const before = Date.now();
    const hello = await database.command({ hello: 1 });
    const middle = (before + Date.now()) / 2;
    const { version } = (await database.admin().command({ buildInfo: 1 })) as unknown as { version: string };
    const collections = new ViewCollections(database);
    const progress = await collections.progress.findOne({ _id: 'projector' });
    return {
      version,
      isReplicaSet: typeof hello['setName'] === 'string',
      clockAheadMs: hello['localTime'] instanceof Date ? hello['localTime'].getTime() - middle : 0,
      missingIndexes: progress ? await missingIndexes(collections, progress) : undefined,
      viewsCheckpoint: progress?.position,
      auditCheckpoint: await auditCheckpoint(collections),
      isBuilding: progress?.building !== undefined,
    };
  } finally {
    await client.close();
  }
};

const auditCheckpoint = async (collections: ViewCollections): Promise<LogPosition | undefined> => {
  const [progress] = await collections.named(`audit${auditVersion}_progress`).find().toArray();
  return progress?.['position'] as LogPosition | undefined;
};

const missingIndexes = async (collections: ViewCollections, progress: Progress): Promise<string[]> => {
  const generation = collections.generation(progress.generation ?? 0);
  const views = (Object.keys(viewIndexes) as ViewName[]).flatMap((view) =>
    distinctIndexes(viewIndexes[view]).map((fields) => [generation.of(view), fields] as const),
  );
  const audit = collections.named(`audit${auditVersion}_entries`);
  const expected = [...views, [audit, ['organizationId', 'keys', 'place']] as const];
  const missing: string[] = [];
  for (const [collection, fields] of expected) {
    const key = Object.fromEntries(fields.map((field) => [field, 1]));
    const found = await collection.indexes().catch(() => []);
    if (!found.some((index) => JSON.stringify(index.key) === JSON.stringify(key)))
      missing.push(`${collection.collectionName} (${fields.join(', ')})`);
  }
  return missing;
};
