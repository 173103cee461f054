import type { Buffer } from 'node:buffer';
import type { Database } from 'lmdb';
import type { JobGroupRecord } from '../../ports/jobStore.js';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';
import { FollowProgress } from '../lmdb/followProgress.js';
import type { GroupTotals } from './changedGroup.js';
import { idsOf } from './jobOwners.js';

/** The layout of the tables; incremented with every change that an older version would misread. */
const dataFormat = 1;

/** Groups have a number here, which is never given again, because keys are short with it. */
export type JobKey = [group: number, number: number];

export interface GroupEntry {
  readonly number: number;
  readonly group: JobGroupRecord;
}

export interface ShardEntry {
  readonly term: number;
  readonly positions: readonly (readonly [partition: number, offset: number])[];
}

/** All tables are in one LMDB environment. */
export interface JobTables {
  readonly environment: DurableEnvironment;
  readonly shards: Database<ShardEntry, number>;
  readonly groups: Database<GroupEntry, string>;
  readonly totals: Database<GroupTotals, number>;
  readonly ofShard: Database<string, [shard: number, groupId: string]>;
  readonly owned: Database<string, [owner: string, groupId: string]>;
  readonly named: Database<string, [topic: string, name: string]>;
  readonly buckets: Database<Buffer, JobKey>;
  /** By the numbers of their first jobs. */
  readonly chunks: Database<Buffer, JobKey>;
  /** By the numbers of buckets. */
  readonly ids: Database<Buffer, JobKey>;
  /** Groups that were removed, and whose jobs are still to be. */
  readonly removed: Database<boolean, number>;
  readonly state: Database<string, 'dataFormat' | 'lastNumber' | 'checkpoint' | 'origin'>;
  readonly progress: FollowProgress;
}

export const openJobTables = async (path: string): Promise<JobTables> => {
  const environment = openDurableEnvironment(path);
  const { root } = environment;
  try {
    const state: JobTables['state'] = root.openDB('state', { encoding: 'string' });
    const tables: JobTables = {
      environment,
      shards: root.openDB('shards', { encoding: 'json' }),
      groups: root.openDB('groups', { encoding: 'json' }),
      totals: root.openDB('totals', { encoding: 'json' }),
      ofShard: root.openDB('ofShard', { encoding: 'string' }),
      owned: root.openDB('owned', { encoding: 'string' }),
      named: root.openDB('named', { encoding: 'string' }),
      buckets: root.openDB('buckets', { encoding: 'binary' }),
      chunks: root.openDB('chunks', { encoding: 'binary' }),
      ids: root.openDB('ids', { encoding: 'binary' }),
      removed: root.openDB('removed', { encoding: 'ordered-binary' }),
      state,
      progress: new FollowProgress(state),
    };
    await requireDataFormat(tables, path);
    return tables;
  } catch (error) {
    await environment.close();
    throw error;
  }
};

const requireDataFormat = async ({ environment, state }: JobTables, path: string): Promise<void> => {
  const found = state.get('dataFormat');
  const known = String(dataFormat);
  if (found === undefined) await environment.transact(() => state.putSync('dataFormat', known));
  else if (found !== known)
    throw new Error(`The jobs ${path} have data format ${found}; this program knows format ${known}`);
};

/** Sorts behind every number and text. */
const afterAll = new Uint8Array([0xff]) as unknown as number;

/** All keys that begin with this. */
export const keysBeginning = <First extends number | string, Second>(first: First) =>
  ({ start: [first], end: [first, afterAll] }) as unknown as { start: [First, Second] };

/** Within a transaction, as is everything below. */
export const putGroup = (tables: JobTables, group: JobGroupRecord): void => {
  const known = tables.groups.get(group.groupId);
  const number = known?.number ?? nextNumber(tables);
  tables.groups.putSync(group.groupId, { number, group });
  if (known !== undefined) return;
  tables.ofShard.putSync([group.shard, group.groupId], '');
  tables.named.putSync([group.topic, group.name], group.groupId);
  for (const owner of idsOf(group.owners)) tables.owned.putSync([owner, group.groupId], '');
};

const nextNumber = ({ state }: JobTables): number => {
  const number = Number(state.get('lastNumber') ?? 0) + 1;
  state.putSync('lastNumber', String(number));
  return number;
};

/** Its jobs are left for `removeSomeJobs`. */
export const removeGroup = (tables: JobTables, { number, group }: GroupEntry): void => {
  tables.groups.removeSync(group.groupId);
  tables.totals.removeSync(number);
  tables.ofShard.removeSync([group.shard, group.groupId]);
  if (tables.named.get([group.topic, group.name]) === group.groupId)
    tables.named.removeSync([group.topic, group.name]);
  for (const owner of idsOf(group.owners)) tables.owned.removeSync([owner, group.groupId]);
  tables.removed.putSync(number, true);
};

/** Records in one step, which takes a few milliseconds. */
const removedAtOnce = 200;

/** Of a group that was removed; resolves with whether there may be more. */
export const removeSomeJobs = ({ buckets, chunks, ids, removed }: JobTables): boolean => {
  const [number] = [...removed.getKeys({ limit: 1 })];
  if (number === undefined) return false;
  const range = { ...keysBeginning<number, number>(number), limit: removedAtOnce };
  const found = [buckets, chunks, ids].map((table) => ({ table, keys: [...table.getKeys(range)] }));
  for (const { table, keys } of found) for (const key of keys) table.removeSync(key);
  if (found.every(({ keys }) => keys.length < removedAtOnce)) removed.removeSync(number);
  return true;
};
