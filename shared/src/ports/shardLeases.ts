/** Whoever does the work of shards, and is told which ones are its own. */
export interface ShardOwner {
  /**
   * This process owns the shard from now on. The terms of a shard only grow, whoever owns it, also over restarts: every write of an owner
   * carries its term, and a store refuses one that is older than the newest it has seen of the shard.
   */
  gained(shard: number, term: number): void;

  /**
   * It owns it no more: once for each `gained`. This process does not gain it again before this has resolved, or for five seconds. Where it is given
   * up in peace, for a fair share or at the end of this process, nobody else gets it before either; otherwise another may own it already.
   */
  lost(shard: number): void | Promise<void>;
}

export interface OwnedShards {
  /** Gives all of them up, so that others get them at once. Resolves when they can. */
  close(): Promise<void>;
}

/**
 * Divides the numbered shards of a named work among the processes that ask for them: each owns about as many as the others.
 * At any time a shard has one owner at most, as far as owners can tell: one that cannot reach the engine gives up by itself before another
 * process takes over, some eight seconds after the last sign of life. A process that was halted learns of it late, and its
 * writes are refused for their term.
 */
export interface ShardLeases {
  /** Once for each work. All processes give the same number of shards. On files the owner has gained all of them when this returns. */
  own(work: string, shardCount: number, owner: ShardOwner): OwnedShards;

  /** How many shards this process owns, by work. */
  owned(): ReadonlyMap<string, number>;

  /** Gives everything up. */
  close(): Promise<void>;
}
