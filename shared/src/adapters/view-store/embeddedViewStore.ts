import { viewsVersion, type ViewName, type Views } from '../../wire/views/views.js';
import { EngineUnavailable, RebuildSuperseded, StaleBatch } from '../../ports/errors.js';
import type { LogPosition } from '../../ports/eventLog.js';
import type { Logger } from '../../ports/logger.js';
import type { ViewRebuild } from '../../ports/viewRebuild.js';
import type {
  ConnectionCount,
  LastUse,
  MessageCount,
  ViewBatch,
  ViewFilter,
  ViewQuery,
  ViewStore,
} from '../../ports/viewStore.js';
import { once } from '../../runtime/service.js';
import type { Document } from './collection.js';
import { EmbeddedViewRebuild } from './embeddedViewRebuild.js';
import { page } from './page.js';
import { PositionWaiters } from './positionWaiters.js';
import { Snapshot } from './snapshot.js';
import { SnapshotWriter } from './snapshotWriter.js';
import { UsageCounts } from './usageCounts.js';
import { UseTimes } from './useTimes.js';
import { ViewDocuments } from './viewDocuments.js';

/** Raise it when the layout of the file changes. */
const snapshotFormat = 1;

export interface EmbeddedViewStoreOptions {
  /** A snapshot is written this long after the last change, and at most three times as long after the first. */
  readonly snapshotAfterMs?: number;
  readonly logger?: Logger;
}

/**
 * Documents and indexes in memory; the disk follows behind with snapshots, each of them documents and checkpoint
 * together. A crash falls back to the last one, and the projector repeats what came after it.
 */
class EmbeddedViewStore implements ViewStore {
  #documents = this.#newDocuments();
  /** The one that is under way. */
  #rebuild: ViewRebuild | undefined;
  #checkpoint: LogPosition | undefined;
  #isOpen = true;
  readonly #uses = new UseTimes((id, at) => this.#writer.recordUse(id, at));
  readonly #usage = new UsageCounts((key, messages) => this.#writer.recordUsage(key, messages));
  /** By gateway. */
  readonly #connections = new Map<string, ConnectionCount>();
  readonly #waiters = new PositionWaiters();
  readonly #writer: SnapshotWriter;

  constructor(snapshot: Snapshot, { snapshotAfterMs = 1000, logger }: EmbeddedViewStoreOptions) {
    this.#writer = new SnapshotWriter(snapshot, snapshotAfterMs, logger);
    for (const use of snapshot.readUses()) this.#uses.load(use);
    for (const [key, messages] of snapshot.readUsage()) this.#usage.load(key, messages);
    const contents = snapshot.read();
    if (contents) {
      for (const { view, id, document } of contents.documents)
        this.#documents.load(view, id, document as Document);
      this.#checkpoint = contents.checkpoint;
    } else {
      this.#writer.clear();
    }
  }

  async get<V extends ViewName>(view: V, id: string): Promise<Views[V] | undefined> {
    this.#assertOpen();
    return this.#documents.get(view, id) as Views[V] | undefined;
  }

  async find<V extends ViewName>(view: V, { filter = {}, ...order }: ViewQuery): Promise<Views[V][]> {
    this.#assertOpen();
    return page(this.#documents.matching(view, filter), order) as unknown as Views[V][];
  }

  async count(view: ViewName, filter: ViewFilter): Promise<number> {
    this.#assertOpen();
    return this.#documents.matching(view, filter).length;
  }

  async apply({ changes, position }: ViewBatch): Promise<void> {
    this.#assertOpen();
    if (this.#checkpoint !== undefined && position <= this.#checkpoint)
      throw new StaleBatch(position, this.#checkpoint);
    this.#documents.apply(changes);
    this.#checkpoint = position;
    this.#writer.moveTo(position);
    this.#waiters.reached(position);
  }

  async checkpoint(): Promise<LogPosition | undefined> {
    this.#assertOpen();
    return this.#checkpoint;
  }

  async reached(position: LogPosition, withinMs: number): Promise<boolean> {
    this.#assertOpen();
    if (this.#checkpoint !== undefined && position <= this.#checkpoint) return true;
    return this.#waiters.wait(position, withinMs);
  }

  async clear(): Promise<void> {
    this.#assertOpen();
    this.#documents = this.#newDocuments();
    this.#checkpoint = undefined;
    this.#rebuild = undefined;
    this.#writer.clear();
    // On disk before it resolves, or a crash would bring back what was cleared for a reason.
    await this.#writer.flush();
  }

  async rebuild(): Promise<ViewRebuild> {
    this.#assertOpen();
    const rebuild = new EmbeddedViewRebuild(this.#newDocuments(), {
      assertCurrent: () => {
        this.#assertOpen();
        if (this.#rebuild !== rebuild) throw new RebuildSuperseded();
      },
      checkpoint: () => this.#checkpoint,
      replaceDocuments: (documents) => this.#replaceDocuments(documents),
      end: () => {
        if (this.#rebuild === rebuild) this.#rebuild = undefined;
      },
    });
    this.#rebuild = rebuild;
    return rebuild;
  }

  async noteUses(uses: readonly LastUse[]): Promise<void> {
    this.#assertOpen();
    this.#uses.note(uses);
  }

  async lastUses(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    this.#assertOpen();
    return this.#uses.of(ids);
  }

  async noteUsage(writer: string, counts: readonly MessageCount[]): Promise<void> {
    this.#assertOpen();
    this.#usage.note(writer, counts);
    await this.#writer.settle();
  }

  async usage(projectIds: readonly string[], month: string): Promise<ReadonlyMap<string, number>> {
    this.#assertOpen();
    return this.#usage.of(projectIds, month);
  }

  async noteConnections(count: ConnectionCount): Promise<void> {
    this.#assertOpen();
    this.#connections.set(count.gatewayId, count);
  }

  async connections(organizationId: string, since: string): Promise<number> {
    this.#assertOpen();
    const live = [...this.#connections.values()].filter(({ at }) => at >= since);
    return live.reduce((total, { connections }) => total + (connections[organizationId] ?? 0), 0);
  }

  readonly close = once(async () => {
    this.#isOpen = false;
    this.#waiters.close();
    await this.#writer.close();
  });

  /** Changes of those that are being built anew are not kept. */
  #newDocuments(): ViewDocuments {
    const documents = new ViewDocuments((view, id, document) => {
      if (documents !== this.#documents) return;
      this.#writer.record(view, id, document);
      if (document === undefined) this.#uses.forget(id);
    });
    return documents;
  }

  /** At the checkpoint of now. Those on disk are replaced in one transaction, by the next snapshot. */
  async #replaceDocuments(documents: ViewDocuments): Promise<void> {
    this.#rebuild = undefined;
    this.#documents = documents;
    this.#writer.clear();
    for (const [view, id, document] of documents.all()) this.#writer.record(view, id, document);
    if (this.#checkpoint !== undefined) this.#writer.moveTo(this.#checkpoint);
    await this.#writer.settle();
  }

  #assertOpen(): void {
    if (!this.#isOpen) throw new EngineUnavailable('read models');
  }
}

/** The read models of one process, in `views.lmdb` in the data folder. */
export const openEmbeddedViewStore = async (
  folder: { file(name: string): string },
  options: EmbeddedViewStoreOptions = {},
): Promise<ViewStore> => {
  const snapshot = new Snapshot(folder.file('views.lmdb'), `${snapshotFormat}/${viewsVersion}`);
  return new EmbeddedViewStore(snapshot, options);
};
