import { StaleBatch } from '../../ports/errors.js';
import type { LogPosition } from '../../ports/eventLog.js';
import type { ViewRebuild } from '../../ports/viewRebuild.js';
import type { ViewBatch, ViewChange } from '../../ports/viewStore.js';
import type { ViewDocuments } from './viewDocuments.js';

/** The store whose documents are built anew. */
export interface RebuiltStore {
  /** Throws once the rebuild is over, or the store closed. */
  assertCurrent(): void;
  checkpoint(): LogPosition | undefined;
  replaceDocuments(documents: ViewDocuments): Promise<void>;
  end(): void;
}

/** In memory, until it takes over: a crash before that leaves nothing of it. */
export class EmbeddedViewRebuild implements ViewRebuild {
  readonly #documents: ViewDocuments;
  readonly #store: RebuiltStore;
  #position: LogPosition | undefined;

  constructor(documents: ViewDocuments, store: RebuiltStore) {
    this.#documents = documents;
    this.#store = store;
  }

  async apply({ changes, position }: ViewBatch): Promise<void> {
    this.#store.assertCurrent();
    if (this.#position !== undefined && position <= this.#position)
      throw new StaleBatch(position, this.#position);
    this.#documents.apply(changes);
    this.#position = position;
  }

  /** All in one turn of the event loop, in which nobody reads and no batch is applied. */
  async takeOver(changes: readonly ViewChange[]): Promise<boolean> {
    this.#store.assertCurrent();
    if (this.#position === undefined || this.#position !== this.#store.checkpoint()) return false;
    this.#documents.apply(changes);
    await this.#store.replaceDocuments(this.#documents);
    return true;
  }

  async abandon(): Promise<void> {
    this.#store.end();
  }
}
