import type { CompiledFilter } from './compiledFilter.js';
import { deepFreeze } from './deepFreeze.js';
import { HashIndex, type Entry } from './hashIndex.js';

export type Document = Entry['document'];

/** Told of every change but the loading; the document is undefined when it is gone. */
export type ChangeRecorder = (id: string, document: Document | undefined) => void;

/** The documents of one view in memory, with its indexes. */
export class Collection {
  readonly #entries = new Map<string, Entry>();
  readonly #indexes: readonly HashIndex[];
  readonly #record: ChangeRecorder;

  constructor(indexes: readonly (readonly string[])[], record: ChangeRecorder) {
    this.#indexes = indexes.map((fields) => new HashIndex(fields));
    this.#record = record;
  }

  get(id: string): Document | undefined {
    return this.#entries.get(id)?.document;
  }

  entries(): Iterable<Entry> {
    return this.#entries.values();
  }

  /** A list of its own: the collection may be changed while the caller goes through it. */
  matching(filter: CompiledFilter): Entry[] {
    const matches: Entry[] = [];
    for (const entry of this.#candidates(filter)) if (filter.matches(entry.document)) matches.push(entry);
    return matches;
  }

  load(id: string, document: Document): void {
    const entry = this.#entries.get(id);
    if (entry) this.#replace(entry, deepFreeze(document));
    else this.#insert({ id, document: deepFreeze(document) });
  }

  put(id: string, document: Document): void {
    this.load(id, document);
    this.#record(id, document);
  }

  /** Makes a new document: one that was handed out stays as it is. */
  patch(id: string, set: Document): void {
    const document = this.get(id);
    if (document) this.put(id, { ...document, ...set });
  }

  remove(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    this.#entries.delete(id);
    for (const index of this.#indexes) index.remove(entry);
    this.#record(id, undefined);
  }

  #insert(entry: Entry): void {
    this.#entries.set(entry.id, entry);
    for (const index of this.#indexes) index.add(entry);
  }

  #replace(entry: Entry, document: Document): void {
    const touched = this.#indexes.filter((index) => !index.isUntouchedBy(entry.document, document));
    for (const index of touched) index.remove(entry);
    entry.document = document;
    for (const index of touched) index.add(entry);
  }

  #candidates({ equalities }: CompiledFilter): Iterable<Entry> {
    let fewest: Iterable<Entry> = this.#entries.values();
    let fewestSize = this.#entries.size;
    for (const index of this.#indexes) {
      const found = index.candidates(equalities);
      if (found === undefined) continue;
      const size = 'size' in found ? found.size : found.length;
      if (size <= fewestSize) [fewest, fewestSize] = [found, size];
    }
    return fewest;
  }
}
