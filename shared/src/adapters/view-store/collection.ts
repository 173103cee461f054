import type { CompiledFilter } from './compiledFilter.js';
import { isScalar, type Scalar } from './filterRules.js';

export type Document = Entry['document'];

/** Called for every change except loading; the document is undefined where it was removed. */
export type ChangeRecorder = (id: string, document: Document | undefined) => void;

/** The documents of one view in memory, with its indexes. */
export class Collection {
  private readonly byId = new Map<string, Entry>();
  private readonly indexes: readonly HashIndex[];
  private readonly record: ChangeRecorder;

  constructor(indexes: readonly (readonly string[])[], record: ChangeRecorder) {
    this.indexes = indexes.map((fields) => new HashIndex(fields));
    this.record = record;
  }

  get(id: string): Document | undefined {
    return this.byId.get(id)?.document;
  }

  entries(): Iterable<Entry> {
    return this.byId.values();
  }

  /** A copy: the collection may be changed while the caller iterates. */
  matching(filter: CompiledFilter): Entry[] {
    const matches: Entry[] = [];
    for (const entry of this.candidates(filter)) if (filter.matches(entry.document)) matches.push(entry);
    return matches;
  }

  load(id: string, document: Document): void {
    const entry = this.byId.get(id);
    if (entry) this.replace(entry, deepFreeze(document));
    else this.insert({ id, document: deepFreeze(document) });
  }

  put(id: string, document: Document): void {
    this.load(id, document);
    this.record(id, document);
  }

  /** Creates a new document: one that was returned stays as it is. */
  patch(id: string, set: Document): void {
    const document = this.get(id);
    if (document) this.put(id, { ...document, ...set });
  }

  remove(id: string): void {
    const entry = this.byId.get(id);
    if (!entry) return;
    this.byId.delete(id);
    for (const index of this.indexes) index.remove(entry);
    this.record(id, undefined);
  }

  private insert(entry: Entry): void {
    this.byId.set(entry.id, entry);
    for (const index of this.indexes) index.add(entry);
  }

  private replace(entry: Entry, document: Document): void {
    const touched = this.indexes.filter((index) => !index.isUntouchedBy(entry.document, document));
    for (const index of touched) index.remove(entry);
    entry.document = document;
    for (const index of touched) index.add(entry);
  }

  private candidates({ equalities }: CompiledFilter): Iterable<Entry> {
    let fewest: Iterable<Entry> = this.byId.values();
    let fewestSize = this.byId.size;
    for (const index of this.indexes) {
      const found = index.candidates(equalities);
      if (found === undefined) continue;
      const size = 'size' in found ? found.size : found.length;
      if (size <= fewestSize) [fewest, fewestSize] = [found, size];
    }
    return fewest;
  }
}

/** A document and its id; replaced in place, so that indexes on unchanged fields need no update. */
interface Entry {
  readonly id: string;
  document: Readonly<Record<string, unknown>>;
}

type Bucket = Entry | Set<Entry>;

/** Finds the documents that hold given scalars in given fields. */
class HashIndex {
  private readonly fields: readonly string[];
  private readonly buckets = new Map<Scalar, Bucket>();
  /** Entries with a list or a document in an indexed field, which equality looks into: while there are any, the index is not used. */
  private readonly irregular = new Set<Entry>();

  constructor(fields: readonly string[]) {
    this.fields = fields;
  }

  add(entry: Entry): void {
    const key = this.keyOf(entry.document);
    const bucket = key === undefined ? this.irregular : this.buckets.get(key);
    if (bucket instanceof Set) bucket.add(entry);
    // Most keys are unique, and a set of one would take several times the memory.
    else if (key !== undefined) this.buckets.set(key, bucket ? new Set([bucket, entry]) : entry);
  }

  remove(entry: Entry): void {
    const key = this.keyOf(entry.document);
    const bucket = key === undefined ? this.irregular : this.buckets.get(key);
    if (bucket instanceof Set) bucket.delete(entry);
    if (key !== undefined && (bucket === entry || (bucket instanceof Set && bucket.size === 0)))
      this.buckets.delete(key);
  }

  isUntouchedBy(before: Entry['document'], after: Entry['document']): boolean {
    return this.fields.every((field) => before[field] === after[field]);
  }

  /** Every entry that could hold these values, or undefined where the index does not apply. */
  candidates(values: ReadonlyMap<string, Scalar>): readonly Entry[] | ReadonlySet<Entry> | undefined {
    if (this.irregular.size > 0 || !this.fields.every((field) => values.has(field))) return undefined;
    const bucket = this.buckets.get(this.join((field) => values.get(field) ?? null));
    return bucket === undefined ? [] : bucket instanceof Set ? bucket : [bucket];
  }

  private keyOf(document: Entry['document']): Scalar | undefined {
    const isRegular = this.fields.every((field) => isScalar(document[field] ?? null));
    return isRegular ? this.join((field) => (document[field] ?? null) as Scalar) : undefined;
  }

  private join(valueOf: (field: string) => Scalar): Scalar {
    const [only] = this.fields;
    const isSingle = only !== undefined && this.fields.length === 1;
    return isSingle ? valueOf(only) : JSON.stringify(this.fields.map(valueOf));
  }
}

/**
 * Documents are shared by the store and everyone who reads them. Freezing costs under a microsecond a document, a copy
 * for each reader many times that; a reader that changes one after all gets a TypeError and spoils nothing.
 */
const deepFreeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
  return value;
};
