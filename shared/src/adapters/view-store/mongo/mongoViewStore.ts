import type { MongoClient } from 'mongodb';
import type { ViewName, Views } from '../../../wire/views/views.js';
import { EngineUnavailable } from '../../../ports/errors.js';
import type { LogPosition } from '../../../ports/eventLog.js';
import type { Logger } from '../../../ports/logger.js';
import type { ViewRebuild } from '../../../ports/viewRebuild.js';
import type {
  ConnectionCount,
  LastUse,
  MessageCount,
  ViewBatch,
  ViewFilter,
  ViewQuery,
  ViewStore,
} from '../../../ports/viewStore.js';
import { once } from '../../../runtime/service.js';
import { BatchWriter } from './batchWriter.js';
import { CheckpointWatch } from './checkpointWatch.js';
import { readLimits } from './clientSettings.js';
import { ConnectionRecords } from './connectionRecords.js';
import { EngineCalls } from './engineCalls.js';
import { LiveGeneration } from './liveGeneration.js';
import { beginMongoRebuild } from './mongoViewRebuild.js';
import { openOnMongo, type MongoPlace } from './openOnMongo.js';
import { ProgressRecord } from './progressRecord.js';
import { decodeDocument } from './storedDocument.js';
import { storedFilter, storedSort } from './storedFilter.js';
import { UsageRecords } from './usageRecords.js';
import { UseRecords } from './useRecords.js';
import { ViewCollections } from './viewCollections.js';
import type { ViewGeneration } from './viewGeneration.js';

export interface MongoViewStoreOptions extends MongoPlace {
  readonly logger?: Logger;
}

/**
 * The read models in MongoDB. A batch is written document by document and then the checkpoint, so a reader may see
 * documents of a batch before the checkpoint, never the checkpoint before its documents.
 */
class MongoViewStore implements ViewStore {
  readonly #client: MongoClient;
  readonly #collections: ViewCollections;
  readonly #progress: ProgressRecord;
  readonly #writer: BatchWriter;
  readonly #live: LiveGeneration;
  readonly #uses: UseRecords;
  readonly #usage: UsageRecords;
  readonly #connections: ConnectionRecords;
  readonly #calls: EngineCalls;
  readonly #watch: CheckpointWatch;
  #isOpen = true;

  constructor(client: MongoClient, { database, logger }: MongoViewStoreOptions) {
    this.#client = client;
    this.#collections = new ViewCollections(client.db(database));
    this.#progress = new ProgressRecord(this.#collections.progress);
    this.#writer = new BatchWriter(this.#collections, this.#progress);
    this.#live = new LiveGeneration({
      readProgress: () => this.#progress.read(),
      generation: (number) => this.#collections.generation(number),
      now: () => performance.now(),
    });
    this.#uses = new UseRecords(this.#collections.lastUses);
    this.#usage = new UsageRecords(this.#collections.usage);
    this.#connections = new ConnectionRecords(this.#collections.connections);
    this.#calls = new EngineCalls(logger);
    this.#watch = new CheckpointWatch(() => this.checkpoint());
  }

  async prepare(): Promise<void> {
    await this.#call(async () => {
      await this.#client.connect();
      await this.#collections.makeIndexes((await this.#live.progress())?.generation ?? 0);
    });
  }

  async get<V extends ViewName>(view: V, id: string): Promise<Views[V] | undefined> {
    const stored = await this.#read((documents) => documents.of(view).findOne({ _id: id }, readLimits()));
    if (stored === null || stored._removedAt !== undefined) return undefined;
    return decodeDocument(stored) as unknown as Views[V];
  }

  async find<V extends ViewName>(view: V, query: ViewQuery): Promise<Views[V][]> {
    const { filter = {}, sort = [], skip = 0, limit } = query;
    checkCount('skip', skip);
    if (limit !== undefined) checkCount('limit', limit);
    const where = storedFilter(filter);
    // To MongoDB, a limit of 0 is none.
    if (limit === 0) return [];
    const options = { sort: storedSort(sort), skip, limit: limit ?? 0, batchSize: 1_000 };
    const found = await this.#read((documents) =>
      documents
        .of(view)
        .find(where, { ...options, ...readLimits() })
        .toArray(),
    );
    return found.map((stored) => decodeDocument(stored) as unknown as Views[V]);
  }

  async count(view: ViewName, filter: ViewFilter): Promise<number> {
    const where = storedFilter(filter);
    return this.#read((documents) => documents.of(view).countDocuments(where, readLimits()));
  }

  async apply(batch: ViewBatch): Promise<void> {
    await this.#call(() => this.#writer.apply(batch));
    this.#watch.reached(batch.position);
  }

  async checkpoint(): Promise<LogPosition | undefined> {
    return this.#call(() => this.#live.checkpoint());
  }

  async reached(position: LogPosition, withinMs: number): Promise<boolean> {
    const from = performance.now();
    const checkpoint = await this.checkpoint().catch(ignoreUnavailable);
    if (checkpoint !== undefined && position <= checkpoint) return true;
    return this.#watch.wait(position, withinMs - (performance.now() - from));
  }

  async clear(): Promise<void> {
    await this.#call(() => this.#writer.clear());
  }

  async rebuild(): Promise<ViewRebuild> {
    return beginMongoRebuild({
      collections: this.#collections,
      progress: this.#progress,
      lookAgain: () => this.#live.progress(),
      call: (action) => this.#call(action),
    });
  }

  async noteUses(uses: readonly LastUse[]): Promise<void> {
    await this.#call(() => this.#uses.note(uses));
  }

  async lastUses(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.#call(() => this.#uses.of(ids));
  }

  async noteUsage(writer: string, counts: readonly MessageCount[]): Promise<void> {
    await this.#call(() => this.#usage.note(writer, counts));
  }

  async usage(projectIds: readonly string[], month: string): Promise<ReadonlyMap<string, number>> {
    return this.#call(() => this.#usage.of(projectIds, month));
  }

  async noteConnections(count: ConnectionCount): Promise<void> {
    await this.#call(() => this.#connections.note(count));
  }

  async connections(organizationId: string, since: string): Promise<number> {
    return this.#call(() => this.#connections.of(organizationId, since));
  }

  readonly close = once(async () => {
    this.#isOpen = false;
    this.#watch.close();
    await this.#writer.drained();
    await this.#client.close();
  });

  #read<T>(action: (documents: ViewGeneration) => Promise<T>): Promise<T> {
    return this.#call(() => this.#live.read(action));
  }

  #call<T>(action: () => Promise<T>): Promise<T> {
    if (!this.#isOpen) return Promise.reject(new EngineUnavailable('read models'));
    return this.#calls.run(action);
  }
}

const ignoreUnavailable = (error: unknown): undefined => {
  if (!(error instanceof EngineUnavailable)) throw error;
};

const checkCount = (name: 'skip' | 'limit', count: number): void => {
  if (!Number.isSafeInteger(count) || count < 0) throw new TypeError(`${name} takes a whole number from 0`);
};

/** Connects and makes the indexes; rejects with `EngineUnavailable` while the server is away. */
export const openMongoViewStore = (options: MongoViewStoreOptions): Promise<ViewStore> =>
  openOnMongo(options, (client, database) => new MongoViewStore(client, { ...options, database }));
