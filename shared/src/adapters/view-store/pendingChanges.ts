import type { LogPosition } from '../../ports/eventLog.js';
import type { UsageKey } from './usageCounts.js';

/** What memory has and the disk has not: the last state of each document that was touched, undefined when it is gone. */
export class PendingChanges {
  /** Everything on disk goes first. */
  #cleared = false;
  #documents = new Map<string, Map<string, unknown>>();
  readonly #uses = new Map<string, string | undefined>();
  readonly #usage = new Map<string, readonly [key: UsageKey, messages: number]>();
  #checkpoint: LogPosition | undefined;
  #isEmpty = true;

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  get cleared(): boolean {
    return this.#cleared;
  }

  get checkpoint(): LogPosition | undefined {
    return this.#checkpoint;
  }

  record(view: string, id: string, document: unknown): void {
    let documents: Map<string, unknown> | undefined = this.#documents.get(view);
    if (!documents) {
      documents = new Map();
      this.#documents.set(view, documents);
    }
    documents.set(id, document);
  }

  /** The last use of a record, undefined to forget it. */
  recordUse(id: string, at: string | undefined): void {
    this.#uses.set(id, at);
    this.#isEmpty = false;
  }

  recordUsage(key: UsageKey, messages: number): void {
    this.#usage.set(key.join(' '), [key, messages]);
    this.#isEmpty = false;
  }

  moveTo(checkpoint: LogPosition): void {
    this.#checkpoint = checkpoint;
    this.#isEmpty = false;
  }

  /** Leaves the uses and the usage, which no log could bring back. */
  clear(): void {
    this.#cleared = true;
    this.#documents = new Map();
    this.#checkpoint = undefined;
    this.#isEmpty = false;
  }

  *documents(): Iterable<readonly [view: string, id: string, document: unknown]> {
    for (const [view, documents] of this.#documents)
      for (const [id, document] of documents) yield [view, id, document];
  }

  uses(): Iterable<readonly [id: string, at: string | undefined]> {
    return this.#uses;
  }

  usage(): Iterable<readonly [key: UsageKey, messages: number]> {
    return this.#usage.values();
  }

  /** These changes with the later ones on top. */
  followedBy(later: PendingChanges): PendingChanges {
    if (later.cleared) this.clear();
    for (const [id, at] of later.uses()) this.recordUse(id, at);
    for (const [key, messages] of later.usage()) this.recordUsage(key, messages);
    for (const [view, id, document] of later.documents()) this.record(view, id, document);
    if (later.checkpoint !== undefined) this.moveTo(later.checkpoint);
    return this;
  }
}
