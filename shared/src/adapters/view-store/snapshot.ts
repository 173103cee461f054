import { setImmediate as nextTurn } from 'node:timers/promises';
import { open, type Database, type RootDatabase } from 'lmdb';
import type { LogPosition } from '../../ports/eventLog.js';
import type { PendingChanges } from './pendingChanges.js';

export interface SnapshotContents {
  readonly checkpoint: LogPosition | undefined;
  readonly documents: Iterable<{ readonly view: string; readonly id: string; readonly document: unknown }>;
}

/** Documents written between two turns of the event loop; 500 take about 2 ms. */
const slice = 500;

/** The read models on disk, in one LMDB file: documents as JSON text, and the checkpoint that they belong to. */
export class Snapshot {
  readonly #version: string;
  readonly #environment: RootDatabase<string, string>;
  readonly #documents: Database<string, [view: string, id: string]>;
  readonly #state: Database<string, string>;
  #isHealthy = true;

  /** `version`: what this program writes; contents of another version are as good as none. */
  constructor(file: string, version: string) {
    this.#version = version;
    // lmdb's own batches hold a promise that nobody can catch: a full disk would end the process.
    this.#environment = open<string, string>(file, {
      noSubdir: true,
      encoding: 'string',
      eventTurnBatching: false,
    });
    this.#documents = this.#environment.openDB('documents', { encoding: 'string' });
    this.#state = this.#environment.openDB('state', { encoding: 'string' });
  }

  /** Undefined where there is nothing, or nothing of this version. */
  read(): SnapshotContents | undefined {
    if (this.#state.get('version') !== this.#version) return undefined;
    const documents = this.#documents
      .getRange()
      .map(({ key: [view, id], value }) => ({ view, id, document: JSON.parse(value) as unknown }));
    return { checkpoint: this.#state.get('checkpoint'), documents };
  }

  /**
   * All or nothing: a crash on the way leaves the snapshot before. Waits for the commit, not for the disk: LMDB
   * keeps the order of its transactions, so that a power cut falls back to an older snapshot, whole as well.
   */
  async write(changes: PendingChanges): Promise<void> {
    try {
      // Only a child transaction is rolled back when its callback throws.
      await this.#environment.childTransaction(() => this.#writeInSlices(changes));
      this.#isHealthy = true;
    } catch (error) {
      this.#isHealthy = false;
      throw await reasonOf(error);
    }
  }

  async close(): Promise<void> {
    const closed = this.#environment.close();
    // After a failed write lmdb would wait for ever for its flush.
    if (this.#isHealthy) await closed;
  }

  async #writeInSlices(changes: PendingChanges): Promise<void> {
    if (changes.cleared) await this.#removeAll();
    let written = 0;
    for (const [view, id, document] of changes.documents()) {
      if (document === undefined) void this.#documents.remove([view, id]);
      else void this.#documents.put([view, id], JSON.stringify(document));
      written += 1;
      if (written % slice === 0) await nextTurn();
    }
    void this.#state.put('version', this.#version);
    if (changes.checkpoint !== undefined) void this.#state.put('checkpoint', changes.checkpoint);
  }

  async #removeAll(): Promise<void> {
    await this.#documents.clearAsync();
    await this.#state.clearAsync();
  }
}

/** lmdb gives the reason in a promise of its own, which must not go unheard. */
const reasonOf = async (error: unknown): Promise<unknown> => {
  const { commitError } = error as { readonly commitError?: Promise<unknown> };
  return commitError ? commitError.catch((reason: unknown) => reason) : error;
};
