import type { ShardOwner } from '../../ports/shardLeases.js';
import { withTimeout } from '../../runtime/waiting.js';

/** The shards of one work that this process owns. */
export class HeldShards {
  private readonly owner: ShardOwner;
  private readonly failed: (error: unknown) => void;
  private readonly terms = new Map<number, number>();
  /** Those whose owner is about to end its work. */
  private readonly parting = new Set<number>();

  constructor(owner: ShardOwner, failed: (error: unknown) => void) {
    this.owner = owner;
    this.failed = failed;
  }

  get size(): number {
    return this.terms.size;
  }

  get shards(): readonly number[] {
    return [...this.terms.keys()];
  }

  isParting(shard: number): boolean {
    return this.parting.has(shard);
  }

  has(shard: number, term: number): boolean {
    return this.terms.get(shard) === term;
  }

  gain(shard: number, term: number): void {
    this.terms.set(shard, term);
    try {
      this.owner.gained(shard, term);
    } catch (error) {
      this.failed(error);
    }
  }

  /** Resolves when the owner has ended its work on it, or has had the time to. */
  async lose(shard: number, withinMs: number): Promise<void> {
    if (!this.terms.delete(shard)) return;
    this.parting.add(shard);
    try {
      await withTimeout(withinMs, Promise.resolve(this.owner.lost(shard)), () => undefined);
    } catch (error) {
      this.failed(error);
    } finally {
      this.parting.delete(shard);
    }
  }
}
