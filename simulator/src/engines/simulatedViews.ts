import { ViewDocuments } from '@roomwire/shared/adapters/view-store/viewDocuments';
import { StaleBatch } from '@roomwire/shared/ports/errors';
import type { LogPosition } from '@roomwire/shared/ports/eventLog';
import type {
  ViewBatch,
  ViewFilter,
  ViewQuery,
  ViewRebuild,
  ViewStore,
} from '@roomwire/shared/ports/viewStore';
import type { ViewName, Views } from '@roomwire/shared/wire/views/views';
import type { SimulatedProcess } from '../cluster/simulatedProcess.js';
import type { Network } from './network.js';

/** The server of the read models: reads see what has been written, be it a part of a batch. */
export class SimulatedViews {
  documents = new ViewDocuments(() => undefined);
  position: LogPosition | undefined;
  private waiting: (() => void)[] = [];

  requireAhead(position: LogPosition): void {
    if (this.position !== undefined && position <= this.position)
      throw new StaleBatch(position, this.position);
  }

  moveTo(position: LogPosition): void {
    this.requireAhead(position);
    this.position = position;
    for (const wake of this.waiting.splice(0)) wake();
  }

  clear(): void {
    this.documents = new ViewDocuments(() => undefined);
    this.position = undefined;
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

/** The read models as one process has them. */
export class ViewsPort implements ViewStore {
  private readonly process: SimulatedProcess;
  private readonly network: Network;
  private readonly views: SimulatedViews;

  constructor(process: SimulatedProcess, network: Network, views: SimulatedViews) {
    this.process = process;
    this.network = network;
    this.views = views;
  }

  get<V extends ViewName>(view: V, id: string): Promise<Views[V] | undefined> {
    return this.call(() => this.views.documents.get(view, id) as Views[V] | undefined);
  }

  async find<V extends ViewName>(view: V, { filter = {}, ...order }: ViewQuery): Promise<Views[V][]> {
    const found = await this.call(() => ({ found: this.views.documents.find(view, filter, order) }));
    return (await found.found) as unknown as Views[V][];
  }

  async count(view: ViewName, filter: ViewFilter): Promise<number> {
    return (await this.call(() => ({ counted: this.views.documents.count(view, filter) }))).counted;
  }

  checkpoint(): Promise<LogPosition | undefined> {
    return this.call(() => this.views.position);
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
  async apply({ changes, position }: ViewBatch): Promise<void> {
    const { network, views } = this;
    const { chance } = network;
    const half = network.isHostile && chance.next() < 0.3 ? chance.below(changes.length + 1) : 0;
    if (half > 0) {
      await this.call(() => {
        views.requireAhead(position);
        views.documents.apply(changes.slice(0, half));
      });
      await this.pause(chance.next() * longestHalfMs);
    }
    await this.call(() => {
      views.requireAhead(position);
      views.documents.apply(changes.slice(half));
      views.moveTo(position);
    });
  }

  clear(): Promise<void> {
    return this.call(() => this.views.clear());
  }

  rebuild(): Promise<ViewRebuild> {
    return Promise.reject(new Error('Rebuilds are not simulated'));
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.network.time.after(this.process, ms, resolve));
  }

  private call<T>(act: () => T): Promise<T> {
    return this.network.call(this.process, 'views', 'read models', act);
  }
}
