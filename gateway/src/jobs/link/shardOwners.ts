import { shardCount } from '@roomwire/shared/domain/shards';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { withTimeout } from '@roomwire/shared/runtime/waiting';

interface KnownOwner {
  readonly term: number;
  /** Of the process. */
  readonly id: string;
}

/** Longer than it takes another process to take over. */
const patienceMs = 20_000;

/** Which process owns which shard, as far as it is known. */
export class ShardOwners {
  private readonly known: (KnownOwner | undefined)[] = Array.from({ length: shardCount }, () => undefined);
  private readonly waiting = new Map<number, (() => void)[]>();
  private readonly changed: (shard: number) => void;

  /** `changed` is called when a shard has another owner, or the same one anew. */
  constructor(changed: (shard: number) => void) {
    this.changed = changed;
  }

  of(shard: number): KnownOwner | undefined {
    return this.known[shard];
  }

  /** Terms only grow: what is known of a later one stays. */
  learn(shard: number, owner: KnownOwner): void {
    if ((this.known[shard]?.term ?? -1) >= owner.term) return;
    this.known[shard] = owner;
    for (const resolve of this.waiting.get(shard) ?? []) resolve();
    this.waiting.delete(shard);
    this.changed(shard);
  }

  /** Rejects where no process owns it for long. */
  async until(shard: number): Promise<KnownOwner> {
    const now = this.known[shard];
    if (now !== undefined) return now;
    const known = new Promise<void>((resolve) => {
      const waiting = this.waiting.get(shard);
      if (waiting) waiting.push(resolve);
      else this.waiting.set(shard, [resolve]);
    });
    await withTimeout(patienceMs, known, () => undefined, { unref: true });
    const owner = this.known[shard];
    if (owner === undefined) throw new EngineUnavailable('jobs');
    return owner;
  }
}
