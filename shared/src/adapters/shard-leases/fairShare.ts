import type { Lease } from './leaseTable.js';

/** How many shards a member is to own: all have as many, but for a remainder that goes to the first ones in the order of their ids. */
export const fairShare = (shards: number, members: readonly string[], id: string): number => {
  const rank = members.toSorted().indexOf(id);
  return Math.floor(shards / members.length) + (rank < shards % members.length ? 1 : 0);
};

/** The leases of all shards of a work, also where fewer have been written. */
export const everyLease = (leases: readonly Lease[], shards: number): readonly Lease[] =>
  Array.from({ length: shards }, (_, shard) => leases[shard] ?? { owner: null, term: 0 });

/**
 * The term of a new owner. Not only one more than the last: where leases were lost or restored with their database, it is still above what
 * other stores have seen.
 */
export const nextTerm = (term: number, now: number): number => Math.max(term + 1, now);
