import { assertContinues, assertCovers } from './continuity.js';
import { cascadeFilter } from '../../wire/views/cascades.js';
import { viewsVersion, type Cascade, type ViewName, type Views } from '../../wire/views/views.js';
import { EngineUnavailable, RebuildSuperseded, StaleBatch } from '../../ports/errors.js';
import type { LogOrigin, LogPosition } from '../../ports/eventLog.js';
import type { Logger } from '../../ports/logger.js';
import type {
  ViewBatch,
  ViewChange,
  ViewExtent,
  ViewFilter,
  ViewQuery,
  ViewRebuild,
  ViewStore,
  ViewStores,
  ViewVersions,
} from '../../ports/viewStore.js';
import { once } from '../../runtime/service.js';
import { workSlices } from '../../runtime/workSlices.js';
import type { Document } from './collection.js';
import { EmbeddedUsageStore } from './embeddedUsageStore.js';
import { PositionWaiters } from './positionWaiters.js';
import { Snapshot } from './snapshot.js';
import { SnapshotWriter } from './snapshotWriter.js';
import { ViewDocuments } from './viewDocuments.js';

/** Raise it when the layout of the file changes. */
const snapshotFormat = 1;

export interface EmbeddedViewStoreOptions {
  /** A snapshot is written this long after the last change, and at most three times as long after the first. */
  readonly snapshotAfterMs?: number;
  readonly logger?: Logger;
  /** Of the read models; by default that of this program. */
  readonly version?: number | undefined;
}

/**
 * Documents and indexes in memory, with snapshots on disk that hold documents and checkpoint together. After a crash the
 * store starts from the last snapshot, and the projector repeats the later events.
 */
class EmbeddedViewStore implements ViewStore {
  /** One process owns the folder: it writes what it reads. */
  readonly isLeftBehind = false;
  private documents = this.newDocuments();
  /** The rebuild in progress. */
  private currentRebuild: ViewRebuild | undefined;
  private position: LogPosition | undefined;
  private madeFrom: LogOrigin | undefined;
  /** Until the documents hold the past; nobody reads them. */
  private isFilling: boolean;
  /** How often all documents have been replaced. */
  private edition = 0;
  /** The batch that is being applied. */
  private applying: Promise<void> | undefined;
  private isOpen = true;
  private readonly waiters = new PositionWaiters();
  private readonly writer: SnapshotWriter;
  private readonly onRemoved: (id: string) => void;

  constructor(snapshot: Snapshot, writer: SnapshotWriter, onRemoved: (id: string) => void) {
    this.writer = writer;
    this.onRemoved = onRemoved;
    const contents = snapshot.read();
    if (contents) {
      for (const { view, id, document } of contents.documents)
        this.documents.load(view, id, document as Document);
      this.position = contents.checkpoint;
      this.madeFrom = contents.origin;
      this.isFilling = contents.isFilling;
    } else {
      this.isFilling = true;
      this.writer.clear(this.isFilling);
    }
  }

  async get<V extends ViewName>(view: V, id: string): Promise<Views[V] | undefined> {
    this.assertReadable();
    return this.documents.get(view, id) as Views[V] | undefined;
  }

  async find<V extends ViewName>(view: V, { filter = {}, ...order }: ViewQuery): Promise<Views[V][]> {
    this.assertReadable();
    return (await this.documents.find(view, filter, order)) as unknown as Views[V][];
  }

  async count(view: ViewName, filter: ViewFilter): Promise<number> {
    this.assertReadable();
    return this.documents.count(view, filter);
  }

  /** One batch at a time. After a crash within one that runs in slices, the projector repeats it. */
  async apply(batch: ViewBatch): Promise<void> {
    this.assertOpen();
    while (this.applying !== undefined) await this.applying.catch(() => undefined);
    this.assertOpen();
    this.applying = this.applyNow(batch).finally(() => (this.applying = undefined));
    await this.applying;
  }

  private async applyNow({ changes, position, after, origin }: ViewBatch): Promise<void> {
    assertContinues({ position, after }, this.position);
    const { documents } = this;
    await documents.applyInSlices(changes, () => {
      this.assertOpen();
      if (documents !== this.documents) throw new StaleBatch(position, this.position ?? '');
    });
    this.position = position;
    this.madeFrom = origin ?? this.madeFrom;
    this.writer.moveTo(position, this.madeFrom);
    this.waiters.reached(position);
  }

  async applyAhead(changes: readonly ViewChange[]): Promise<boolean> {
    this.assertOpen();
    if (this.position === undefined) return false;
    this.documents.apply(changes);
    this.writer.besides();
    return true;
  }

  /** Between two slices a rebuild may put other documents in place, which have nothing of what this removes. */
  async sweep(cascade: Cascade, signal: AbortSignal): Promise<void> {
    this.assertOpen();
    assertCovers(this.position, cascade.createdPosition);
    const { documents } = this;
    const { deletedId: id, views } = cascade;
    const slices = workSlices();
    let { removed } = cascade;
    for (const view of views)
      for (const isRemoved of documents.removals(view, cascadeFilter(cascade))) {
        if (isRemoved) removed += 1;
        if (!slices.isOver()) continue;
        documents.apply([{ patch: 'cascades', id, set: { removed } }]);
        this.writer.besides();
        await slices.next();
        if (signal.aborted) return;
        this.assertOpen();
        if (documents !== this.documents) return;
      }
    documents.apply([{ remove: 'cascades', id }]);
    this.writer.besides();
  }

  async checkpoint(): Promise<LogPosition | undefined> {
    this.assertOpen();
    return this.position;
  }

  async extent(): Promise<ViewExtent | undefined> {
    this.assertOpen();
    const { position, isFilling, edition } = this;
    return position === undefined || isFilling ? undefined : { edition: String(edition), position };
  }

  async origin(): Promise<LogOrigin | undefined> {
    this.assertOpen();
    return this.madeFrom;
  }

  async reached(position: LogPosition, withinMs: number): Promise<boolean> {
    this.assertOpen();
    if (this.position !== undefined && position <= this.position) return true;
    return this.waiters.wait(position, withinMs);
  }

  async admitsReaders(): Promise<boolean> {
    this.assertOpen();
    return !this.isFilling;
  }

  async admitReaders(): Promise<void> {
    this.assertOpen();
    if (!this.isFilling) return;
    this.isFilling = false;
    this.writer.filled();
  }

  async clear(): Promise<void> {
    this.assertOpen();
    await this.applying?.catch(() => undefined);
    this.edition += 1;
    this.documents = this.newDocuments();
    this.position = undefined;
    this.madeFrom = undefined;
    this.isFilling = true;
    this.currentRebuild = undefined;
    this.writer.clear(this.isFilling);
    // On disk before it resolves, or a crash would bring the cleared documents back.
    await this.writer.flush();
  }

  async rebuild(): Promise<ViewRebuild> {
    this.assertOpen();
    const rebuild = new EmbeddedViewRebuild(this.newDocuments(), {
      assertCurrent: () => {
        this.assertOpen();
        if (this.currentRebuild !== rebuild) throw new RebuildSuperseded();
      },
      // While a batch is being applied, the documents are at none.
      checkpoint: () => (this.applying === undefined ? this.position : undefined),
      replaceDocuments: (documents) => this.replaceDocuments(documents),
      end: () => {
        if (this.currentRebuild === rebuild) this.currentRebuild = undefined;
      },
    });
    this.currentRebuild = rebuild;
    return rebuild;
  }

  close(): void {
    this.isOpen = false;
    this.waiters.close();
  }

  /** Changes of documents that are still being rebuilt are not recorded. */
  private newDocuments(): ViewDocuments {
    const documents = new ViewDocuments((view, id, document) => {
      if (documents !== this.documents) return;
      this.writer.record(view, id, document);
      if (document === undefined) this.onRemoved(id);
    });
    return documents;
  }

  /** At the current checkpoint. The next snapshot replaces the documents on disk in one transaction. */
  private async replaceDocuments(documents: ViewDocuments): Promise<void> {
    this.currentRebuild = undefined;
    this.edition += 1;
    this.documents = documents;
    this.writer.clear(this.isFilling);
    for (const [view, id, document] of documents.all()) this.writer.record(view, id, document);
    if (this.position !== undefined) this.writer.moveTo(this.position, this.madeFrom);
    await this.writer.settle();
  }

  private assertOpen(): void {
    if (!this.isOpen) throw new EngineUnavailable('read models');
  }

  private assertReadable(): void {
    if (!this.isOpen || this.isFilling) throw new EngineUnavailable('read models');
  }
}

/** The store whose documents are rebuilt. */
interface RebuiltStore {
  /** Throws once the rebuild has ended or the store is closed. */
  assertCurrent(): void;
  checkpoint(): LogPosition | undefined;
  replaceDocuments(documents: ViewDocuments): Promise<void>;
  end(): void;
}

/** In memory until it takes over: a crash before that leaves nothing of it. */
class EmbeddedViewRebuild implements ViewRebuild {
  private readonly documents: ViewDocuments;
  private readonly store: RebuiltStore;
  private position: LogPosition | undefined;

  constructor(documents: ViewDocuments, store: RebuiltStore) {
    this.documents = documents;
    this.store = store;
  }

  async apply({ changes, position }: ViewBatch): Promise<void> {
    this.store.assertCurrent();
    if (this.position !== undefined && position <= this.position)
      throw new StaleBatch(position, this.position);
    this.documents.apply(changes);
    this.position = position;
  }

  /** In one turn of the event loop, in which no read and no batch runs. */
  async takeOver(changes: readonly ViewChange[]): Promise<boolean> {
    this.store.assertCurrent();
    if (this.position === undefined || this.position !== this.store.checkpoint()) return false;
    this.documents.apply(changes);
    await this.store.replaceDocuments(this.documents);
    return true;
  }

  async abandon(): Promise<void> {
    this.store.end();
  }
}

/** A folder has those of one version: another one makes them anew. */
const noOtherVersions: ViewVersions = { tend: async () => [] };

/** Opens the read models and the usage of one process, both in `views.lmdb` in the data folder. */
export const openEmbeddedViewStores = async (
  folder: { file(name: string): string },
  { snapshotAfterMs = 1000, logger, version = viewsVersion }: EmbeddedViewStoreOptions = {},
): Promise<ViewStores> => {
  const snapshot = new Snapshot(folder.file('views.lmdb'), `${snapshotFormat}/${version}`);
  const writer = new SnapshotWriter(snapshot, snapshotAfterMs, logger);
  const usage = new EmbeddedUsageStore(snapshot, writer);
  const views = new EmbeddedViewStore(snapshot, writer, (id) => usage.forgetUse(id));
  const close = once(async () => {
    views.close();
    usage.close();
    await writer.close();
  });
  return { views, usage, versions: noOtherVersions, close };
};
