import type { Binary, Collection, Db } from 'mongodb';
import type { JobGroupRecord } from '../../ports/jobStore.js';
import type { GroupTotals } from './changedGroup.js';

export interface ShardDocument {
  readonly _id: number;
  readonly term: number;
  readonly positions: readonly { readonly partition: number; readonly offset: number }[];
}

/** A group, and what a commit has made of it: with this document it is done. */
export interface GroupDocument {
  readonly _id: string;
  readonly shard: number;
  readonly term: number;
  readonly topic: string;
  /** The ids with which it is removed. */
  readonly owners: readonly string[];
  /** Nobody finds it any more; what belongs to it is being removed. */
  readonly isRemoved: boolean;
  readonly group: JobGroupRecord;
  readonly totals: GroupTotals;
  /** The numbers of its buckets, as `BucketNumbers` writes them. Others that are there are left of a commit that was broken off. */
  readonly buckets: string;
  /** How many jobs and bytes are in the buckets of the last commit, which may not all have been written, and in the last of all. */
  readonly counted: readonly { readonly bucket: number; readonly jobs: number; readonly bytes: number }[];
  /** The last part of `jobIds`, and when it got its last one. */
  readonly lastIds?: { readonly bucket: number; readonly at: number };
  /** Its totals are not those of its buckets, since it was put back from a backup. */
  readonly isRestored?: boolean;
}

/** A bucket, a chunk, or the ids of a bucket. A writer with a lower term does not overwrite it. */
export interface PartDocument {
  readonly _id: string;
  readonly groupId: string;
  readonly term: number;
  readonly content: Binary;
}

export interface JobCollections {
  readonly shards: Collection<ShardDocument>;
  readonly groups: Collection<GroupDocument>;
  readonly buckets: Collection<PartDocument>;
  readonly chunks: Collection<PartDocument>;
  readonly ids: Collection<PartDocument>;
}

export const jobCollections = (database: Db): JobCollections => ({
  shards: database.collection('jobShards'),
  groups: database.collection('jobGroups'),
  buckets: database.collection('jobBuckets'),
  chunks: database.collection('jobChunks'),
  ids: database.collection('jobIds'),
});

/** Of a bucket and its ids by its number, of a chunk by that of its first job. */
export const partId = (groupId: string, number: number): string => `${groupId}:${number}`;
