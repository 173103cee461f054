import type { Database } from 'lmdb';
import { EngineUnavailable } from '../../ports/errors.js';
import type { OwnedShards, ShardLeases, ShardOwner } from '../../ports/shardLeases.js';
import { once } from '../../runtime/service.js';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';
import { nextTerm } from './fairShare.js';

/** One process owns the data folder, and with it all shards of all works. */
class EmbeddedShardLeases implements ShardLeases {
  readonly close = once(() => this.closeAll());
  private readonly term: number;
  private readonly open = new Map<string, { readonly shards: number; readonly end: () => Promise<void> }>();

  constructor(term: number) {
    this.term = term;
  }

  own(work: string, shardCount: number, owner: ShardOwner): OwnedShards {
    const shards = Array.from({ length: shardCount }, (_, shard) => shard);
    const end = once(async () => {
      await Promise.all(shards.map(async (shard) => owner.lost(shard)));
      this.open.delete(work);
    });
    this.open.set(work, { shards: shardCount, end });
    for (const shard of shards) owner.gained(shard, this.term);
    return { close: end };
  }

  owned(): ReadonlyMap<string, number> {
    return new Map([...this.open].map(([work, { shards }]) => [work, shards]));
  }

  private async closeAll(): Promise<void> {
    for (const { end } of [...this.open.values()]) await end();
  }
}

const begin = async (environment: DurableEnvironment, now: number): Promise<number> => {
  const terms: Database<number, string> = environment.root.openDB('terms', { encoding: 'json' });
  return environment.transact(() => {
    const term = nextTerm(terms.get('start') ?? 0, now);
    terms.putSync('start', term);
    return term;
  });
};

interface Files {
  file(name: string): string;
}

/** The term is that of the start, in `shards.lmdb` in the data folder. */
export const openEmbeddedShardLeases = async (folder: Files, now: number): Promise<ShardLeases> => {
  const environment = openDurableEnvironment(folder.file('shards.lmdb'));
  try {
    return new EmbeddedShardLeases(await begin(environment, now));
  } catch (cause) {
    throw new EngineUnavailable('shard leases', { cause });
  } finally {
    await environment.close();
  }
};
