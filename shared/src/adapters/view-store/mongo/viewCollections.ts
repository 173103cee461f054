import type { Collection, Db } from 'mongodb';
import { viewsVersion } from '../../../wire/views/views.js';
import type { StoredConnections } from './connectionRecords.js';
import { forgetAfter } from './forgetAfter.js';
import type { Progress } from './progressRecord.js';
import type { StoredUsage } from './usageRecords.js';
import type { StoredUse } from './useRecords.js';
import { generationOf, ViewGeneration } from './viewGeneration.js';

/** Longer than any gateway that is alive is silent. */
const connectionsKeptSeconds = 86_400;

/**
 * A collection for each view of each generation, and one for the progress, which says what generation is read. Their names
 * hold the version of the views: a program of another version has collections of its own, so that both run side by side
 * while the new one catches up. Those of an old version stay until somebody drops them. The last uses and the usage, which
 * no log could bring back, are the same for all versions and generations.
 */
export class ViewCollections {
  readonly progress: Collection<Progress>;
  readonly lastUses: Collection<StoredUse>;
  readonly usage: Collection<StoredUsage>;
  readonly connections: Collection<StoredConnections>;
  readonly #database: Db;
  readonly #generations = new Map<number, ViewGeneration>();

  constructor(database: Db) {
    this.#database = database;
    this.progress = database.collection(`v${viewsVersion}_progress`);
    this.lastUses = database.collection('last_uses');
    this.usage = database.collection('usage');
    this.connections = database.collection('connections');
  }

  generation(number: number): ViewGeneration {
    const generation = this.#generations.get(number) ?? new ViewGeneration(this.#database, number);
    this.#generations.set(number, generation);
    return generation;
  }

  /** One beside them, for who looks into the database. */
  named(name: string): Collection {
    return this.#database.collection(name);
  }

  async makeIndexes(live: number): Promise<void> {
    await this.generation(live).makeIndexes();
    await forgetAfter(this.connections, 'at', connectionsKeptSeconds);
  }

  /** What rebuilds that were killed, or nobody reads any more, have left behind. */
  async dropGenerationsBut(kept: readonly (number | undefined)[]): Promise<void> {
    const names = await this.#database.listCollections({}, { nameOnly: true }).toArray();
    const generations = new Set(names.map(({ name }) => generationOf(name)));
    for (const generation of generations)
      if (generation !== undefined && !kept.includes(generation)) await this.generation(generation).drop();
  }
}
