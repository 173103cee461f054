import type { ShardLeases } from '@roomwire/shared/ports/shardLeases';

/** Work that is divided has its owner in the main thread: one that a dead thread leaves behind would wait for another. */
export const noShards: ShardLeases = {
  own: () => ({ close: async () => undefined }),
  owned: () => new Map(),
  close: async () => undefined,
};
