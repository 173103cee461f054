import type { Cascade, ViewName, Views } from '../../../wire/views/views.js';
import { EngineUnavailable } from '../../../ports/errors.js';
import type { LogOrigin, LogPosition } from '../../../ports/eventLog.js';
import type {
  RegisteredReader,
  ViewBatch,
  ViewChange,
  ViewExtent,
  ViewFilter,
  ViewQuery,
  ViewRebuild,
  ViewStore,
  ViewStores,
} from '../../../ports/viewStore.js';
import { workSlices } from '../../../runtime/workSlices.js';
import { openOnMongo, readLimits, type MongoConnection, type MongoOptions } from '../../mongo/connection.js';
import { CheckpointPoller } from '../positionWaiters.js';
import { checkCounts } from '../ordering.js';
import { BatchWriter } from './batchWriter.js';
import { CascadeSweep } from './cascadeSweep.js';
import { LiveGeneration } from './liveGeneration.js';
import { MongoUsageStore } from './mongoUsageStore.js';
import { beginMongoRebuild } from './mongoViewRebuild.js';
import { MongoViewVersions } from './mongoViewVersions.js';
import { ProgressDocument } from './progress.js';
import { ReaderRegistration } from './readerRegistration.js';
import { decodeDocument, storedFilter, storedSort, type StoredDocument } from './storedDocument.js';
import { ViewCollections, type ViewGeneration } from './viewCollections.js';

export interface MongoViewOptions extends MongoOptions {
  /** The process as a reader; absent for one that only projects, and for tools. */
  readonly reader?: RegisteredReader | undefined;
  /** Of the read models; by default that of this program. */
  readonly version?: number | undefined;
}

/**
 * The read models in MongoDB. A batch is written document by document and then the checkpoint, so a reader may see
 * documents of a batch before the checkpoint, never the checkpoint before its documents.
 */
class MongoViewStore implements ViewStore {
  private readonly connection: MongoConnection;
  private readonly collections: ViewCollections;
  private readonly progress: ProgressDocument;
  private readonly writer: BatchWriter;
  private readonly live: LiveGeneration;
  private readonly registration: ReaderRegistration | undefined;
  private readonly poller = new CheckpointPoller(() => this.checkpoint());

  constructor(
    connection: MongoConnection,
    collections: ViewCollections,
    reader: RegisteredReader | undefined,
  ) {
    this.connection = connection;
    this.collections = collections;
    this.progress = new ProgressDocument(this.collections.progress);
    this.writer = new BatchWriter(this.collections, this.progress);
    this.live = new LiveGeneration({
      readProgress: () => this.progress.read(),
      generation: (number) => this.collections.generation(number),
      mayBeLeftBehind: reader === undefined || reader.isWriter,
      now: () => performance.now(),
    });
    this.registration =
      reader &&
      new ReaderRegistration({
        ...{ readers: collections.readers, version: collections.version, name: reader.name },
        call: (action) => connection.call(action),
        look: () => this.live.progress(),
      });
  }

  get isLeftBehind(): boolean {
    return this.live.isLeftBehind;
  }

  async prepare(): Promise<void> {
    await this.connection.call(async () => {
      const generation = (await this.live.progress())?.generation ?? 0;
      await this.collections.generation(generation).makeIndexes();
    });
    await this.registration?.start();
  }

  async get<V extends ViewName>(view: V, id: string): Promise<Views[V] | undefined> {
    const stored = await this.read(
      (documents) => documents.of(view).findOne({ _id: id }, readLimits()),
      (found) => found === null,
    );
    if (stored === null || stored._removedAt !== undefined) return undefined;
    return decodeDocument(stored) as unknown as Views[V];
  }

  async find<V extends ViewName>(view: V, query: ViewQuery): Promise<Views[V][]> {
    checkCounts(query);
    const { filter = {}, sort = [], skip = 0, limit } = query;
    const where = storedFilter(filter);
    // To MongoDB, a limit of 0 is none.
    if (limit === 0) return [];
    const options = { sort: storedSort(sort), skip, limit: limit ?? 0, batchSize: 1_000 };
    return this.read(
      (documents) => decoded<Views[V]>(documents.of(view).find(where, { ...options, ...readLimits() })),
      (found) => found.length === 0,
    );
  }

  async count(view: ViewName, filter: ViewFilter): Promise<number> {
    const where = storedFilter(filter);
    return this.read(
      (documents) => documents.of(view).countDocuments(where, readLimits()),
      (found) => found === 0,
    );
  }

  async apply(batch: ViewBatch): Promise<void> {
    await this.connection.call(() => this.writer.apply(batch));
    this.poller.reached(batch.position);
  }

  async applyAhead(changes: readonly ViewChange[]): Promise<boolean> {
    return this.connection.call(() => this.writer.ahead(changes));
  }

  async sweep(cascade: Cascade, signal: AbortSignal): Promise<void> {
    const { connection, writer } = this;
    await new CascadeSweep({ writer, call: (action) => connection.call(action) }, cascade).run(signal);
  }

  async checkpoint(): Promise<LogPosition | undefined> {
    return this.connection.call(() => this.live.checkpoint());
  }

  async extent(): Promise<ViewExtent | undefined> {
    return this.connection.call(() => this.live.extent());
  }

  async origin(): Promise<LogOrigin | undefined> {
    return this.connection.call(async () => (await this.live.progress())?.origin);
  }

  async reached(position: LogPosition, withinMs: number): Promise<boolean> {
    const from = performance.now();
    const checkpoint = await this.checkpoint().catch(ignoreUnavailable);
    if (checkpoint !== undefined && position <= checkpoint) return true;
    return this.poller.wait(position, withinMs - (performance.now() - from));
  }

  async admitsReaders(): Promise<boolean> {
    return this.connection.call(() => this.live.admitsReaders());
  }

  async admitReaders(upTo: LogPosition | undefined): Promise<void> {
    await this.connection.call(() => this.progress.filled(upTo));
  }

  async clear(): Promise<void> {
    await this.connection.call(() => this.writer.clear());
  }

  async rebuild(): Promise<ViewRebuild> {
    return beginMongoRebuild({
      collections: this.collections,
      progress: this.progress,
      lookAgain: () => this.live.progress(),
      call: (action) => this.connection.call(action),
    });
  }

  async close(): Promise<void> {
    this.poller.close();
    await this.registration?.close();
    await this.writer.drained();
  }

  private read<T>(
    action: (documents: ViewGeneration) => Promise<T>,
    isAbsence: (result: T) => boolean,
  ): Promise<T> {
    return this.connection.call(() => this.live.read(action, isAbsence));
  }
}

/** The driver decodes a document when it is asked for it: a page of large ones takes its time. */
const decoded = async <D>(cursor: AsyncIterable<StoredDocument>): Promise<D[]> => {
  const slices = workSlices();
  const documents: D[] = [];
  for await (const stored of cursor) {
    documents.push(decodeDocument(stored) as D);
    if (slices.isOver()) await slices.next();
  }
  return documents;
};

const ignoreUnavailable = (error: unknown): undefined => {
  if (!(error instanceof EngineUnavailable)) throw error;
};

/** Connects, creates the indexes and registers the reader; rejects with `EngineUnavailable` while the server is away. */
export const openMongoViewStores = ({ reader, version, ...options }: MongoViewOptions): Promise<ViewStores> =>
  openOnMongo(options, 'read models', async (connection) => {
    const collections = new ViewCollections(connection.database, version);
    const views = new MongoViewStore(connection, collections, reader);
    const usage = new MongoUsageStore(connection);
    const versions = new MongoViewVersions(connection, collections);
    await usage.prepare();
    await views.prepare();
    return { views, usage, versions, close: () => connection.close(() => views.close()) };
  });
