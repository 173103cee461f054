import { assertContinues, assertCovers } from '@roomwire/shared/adapters/view-store/continuity';
import { ViewDocuments } from '@roomwire/shared/adapters/view-store/viewDocuments';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { LogOrigin, LogPosition } from '@roomwire/shared/ports/eventLog';
import type {
  ViewBatch,
  ViewChange,
  ViewExtent,
  ViewFilter,
  ViewQuery,
  ViewRebuild,
  ViewStore,
} from '@roomwire/shared/ports/viewStore';
import { cascadeFilter } from '@roomwire/shared/wire/views/cascades';
import type { Cascade, ViewName, Views } from '@roomwire/shared/wire/views/views';
import type { SimulatedProcess } from '../cluster/simulatedProcess.js';
import type { Network } from './network.js';

/** The server of the read models: reads see what has been written, be it a part of a batch. */
export class SimulatedViews {
  documents = new ViewDocuments(() => undefined);
  position: LogPosition | undefined;
  origin: LogOrigin | undefined;
  /** How often they were cleared. */
  edition = 0;
  /** Until the documents hold the past. */
  isFilling = true;
  /** The process that wrote the last batch, or a part of it. */
  leader: ViewsPort | undefined;
  private waiting: (() => void)[] = [];

  assertReadable(): void {
    if (this.isFilling) throw new EngineUnavailable('read models');
  }

  moveTo({ position, origin }: ViewBatch): void {
    this.position = position;
    this.origin = origin ?? this.origin;
    for (const wake of this.waiting.splice(0)) wake();
  }

  admitReaders(upTo: LogPosition | undefined): void {
    if (upTo === undefined || this.hasReached(upTo)) this.isFilling = false;
  }

  get extent(): ViewExtent | undefined {
    const { position, isFilling, edition } = this;
    return position === undefined || isFilling ? undefined : { edition: String(edition), position };
  }

  clear(): void {
    this.edition += 1;
    this.documents = new ViewDocuments(() => undefined);
    this.position = undefined;
    this.origin = undefined;
    this.isFilling = true;
  }

  hasReached(position: LogPosition): boolean {
    return this.position !== undefined && position <= this.position;
  }

  /** Calls back when the checkpoint has moved. */
  moved(wake: () => void): void {
    this.waiting.push(wake);
  }
}

/** How long a batch may stay half written. */
const longestHalfMs = 30;

/** Documents that a sweep looks at in one request. */
const sweptAtOnce = 5;

/** The read models as one process has them. */
export class ViewsPort implements ViewStore {
  /** All processes are of one version. */
  readonly isLeftBehind = false;
  private readonly process: SimulatedProcess;
  private readonly network: Network;
  private readonly views: SimulatedViews;

  constructor(process: SimulatedProcess, network: Network, views: SimulatedViews) {
    this.process = process;
    this.network = network;
    this.views = views;
  }

  get<V extends ViewName>(view: V, id: string): Promise<Views[V] | undefined> {
    return this.read((documents) => documents.get(view, id) as Views[V] | undefined);
  }

  async find<V extends ViewName>(view: V, { filter = {}, ...order }: ViewQuery): Promise<Views[V][]> {
    const found = await this.read((documents) => ({ found: documents.find(view, filter, order) }));
    return (await found.found) as unknown as Views[V][];
  }

  async count(view: ViewName, filter: ViewFilter): Promise<number> {
    return (await this.read((documents) => ({ counted: documents.count(view, filter) }))).counted;
  }

  checkpoint(): Promise<LogPosition | undefined> {
    return this.call(() => this.views.position);
  }

  extent(): Promise<ViewExtent | undefined> {
    return this.call(() => this.views.extent);
  }

  reached(position: LogPosition, withinMs: number): Promise<boolean> {
    const { network, process, views } = this;
    return new Promise((resolve) => {
      network.time.timer(process, withinMs, () => resolve(false));
      const look = (): void => {
        if (!views.hasReached(position)) return views.moved(look);
        const tell = (): void => {
          if (network.isCut(process, 'views')) network.time.after(process, 100, tell);
          else resolve(true);
        };
        network.time.after(process, network.delay(), tell);
      };
      network.time.after(undefined, network.delay(), look);
    });
  }

  /** In order, and not in one: a reader, or a crash, may come between two changes, and before the checkpoint. */
  async apply(batch: ViewBatch): Promise<void> {
    const { network, views } = this;
    const { changes } = batch;
    const { chance } = network;
    const half = network.isHostile && chance.next() < 0.3 ? chance.below(changes.length + 1) : 0;
    if (half > 0) {
      await this.call(() => {
        assertContinues(batch, views.position);
        views.leader = this;
        views.documents.apply(changes.slice(0, half));
      });
      await this.pause(chance.next() * longestHalfMs);
    }
    await this.call(() => {
      assertContinues(batch, views.position);
      views.leader = this;
      views.documents.apply(changes.slice(half));
      views.moveTo(batch);
    });
  }

  applyAhead(changes: readonly ViewChange[]): Promise<boolean> {
    return this.call(() => {
      if (this.views.leader !== this || this.views.isFilling) return false;
      this.views.documents.apply(changes);
      return true;
    });
  }

  /** In requests of a few documents: batches, readers and crashes come between them. */
  async sweep(cascade: Cascade, signal: AbortSignal): Promise<void> {
    for (let isDone = false; !isDone && !signal.aborted;)
      isDone = await this.call(() => this.sweepSome(cascade));
  }

  origin(): Promise<LogOrigin | undefined> {
    return this.call(() => this.views.origin);
  }

  admitsReaders(): Promise<boolean> {
    return this.call(() => !this.views.isFilling);
  }

  admitReaders(upTo: LogPosition | undefined): Promise<void> {
    return this.call(() => this.views.admitReaders(upTo));
  }

  clear(): Promise<void> {
    return this.call(() => this.views.clear());
  }

  rebuild(): Promise<ViewRebuild> {
    return Promise.reject(new Error('Rebuilds are not simulated'));
  }

  /** Whether nothing is left; then the cascade is removed too. */
  private sweepSome(cascade: Cascade): boolean {
    const { documents, position } = this.views;
    assertCovers(position, cascade.createdPosition);
    let looks = 0;
    for (const view of cascade.views)
      for (const isRemoved of documents.removals(view, cascadeFilter(cascade)))
        if (isRemoved && (looks += 1) === sweptAtOnce) return false;
    documents.apply([{ remove: 'cascades', id: cascade.deletedId }]);
    return true;
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.network.time.after(this.process, ms, resolve));
  }

  private read<T>(from: (documents: ViewDocuments) => T): Promise<T> {
    return this.call(() => {
      this.views.assertReadable();
      return from(this.views.documents);
    });
  }

  private call<T>(act: () => T): Promise<T> {
    return this.network.call(this.process, 'views', 'read models', act);
  }
}
