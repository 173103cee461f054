import type { CompiledFilter } from './compiledFilter.js';
import { creationField, CreationOrder } from './creationOrder.js';
import { isScalar, type Scalar } from './filterRules.js';
import { valuesAt } from './ordering.js';

export type Document = Entry['document'];

/** Called for every change except loading; the document is undefined where it was removed. */
export type ChangeRecorder = (id: string, document: Document | undefined) => void;

/** Every entry that could match a filter. */
export type Candidates = readonly Entry[] | ReadonlySet<Entry> | CreationOrder<Entry> | EntriesById;
type EntriesById = ReadonlyMap<string, Entry>;

/** The documents of one view in memory, with its indexes. */
export class Collection {
  private readonly byId = new Map<string, Entry>();
  private readonly indexes: readonly HashIndex[];
  private readonly record: ChangeRecorder;

  /** `lists`: the fields of lists in order of creation. */
  constructor(
    indexes: readonly (readonly string[])[],
    lists: readonly (readonly string[])[],
    record: ChangeRecorder,
  ) {
    this.indexes = [
      ...indexes.map((fields) => new HashIndex(fields, () => new Set())),
      ...lists.map((fields) => new HashIndex(fields, () => new CreationOrder())),
    ];
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
    for (const entry of entriesOf(this.candidates(filter)))
      if (filter.matches(entry.document)) matches.push(entry);
    return matches;
  }

  /** How many match, where an index knows it; otherwise they must be counted. */
  knownCount(filter: CompiledFilter): number | undefined {
    if (!filter.comparesScalars) return undefined;
    if (filter.equalities.size === 0) return this.byId.size;
    for (const index of this.indexes) {
      const found = index.candidates(filter.equalities);
      if (found !== undefined && index.fields.length === filter.equalities.size) return sizeOf(found);
    }
    return undefined;
  }

  load(id: string, document: Document): void {
    const entry = this.byId.get(id);
    freezeDeeply(document);
    if (entry) this.replace(entry, document);
    else this.insert({ id, document });
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

  /** Those of the most selective index. Among equals, that of a list: it is in order. */
  candidates({ equalities }: CompiledFilter): Candidates {
    let fewest: Candidates = this.byId;
    for (const index of this.indexes) {
      const found = index.candidates(equalities);
      if (found !== undefined && sizeOf(found) <= sizeOf(fewest)) fewest = found;
    }
    return fewest;
  }
}

export const sizeOf = (candidates: Candidates): number =>
  'size' in candidates ? candidates.size : candidates.length;

/** Those that were reached may be removed while the caller iterates. */
export const removableEntriesOf = (candidates: Candidates): Iterable<Entry> =>
  candidates instanceof CreationOrder ? candidates.removable() : entriesOf(candidates);

export const entriesOf = (candidates: Candidates): Iterable<Entry> =>
  candidates instanceof Map ? (candidates as EntriesById).values() : (candidates as Iterable<Entry>);

/** A document and its id; replaced in place, so that indexes on unchanged fields need no update. */
export interface Entry {
  readonly id: string;
  document: Readonly<Record<string, unknown>>;
}

type Entries = Set<Entry> | CreationOrder<Entry>;
type Bucket = Entry | Entries;

const isMany = (bucket: Bucket | undefined): bucket is Entries =>
  bucket instanceof CreationOrder || bucket instanceof Set;

/**
 * Finds the documents that hold given scalars in given fields. One of the fields may be a path into a list of documents: then a
 * document is found by the scalar of each element.
 */
class HashIndex {
  readonly fields: readonly string[];
  private readonly path: string | undefined;
  private readonly roots: readonly string[];
  private readonly makeEntries: () => Entries;
  private readonly buckets = new Map<Scalar, Bucket>();
  /** Entries with a list or a document in an indexed field, which equality looks into: while there are any, the index is not used. */
  private readonly irregular = new Set<Entry>();

  constructor(fields: readonly string[], makeEntries: () => Entries) {
    this.fields = fields;
    this.path = fields.find((field) => field.includes('.'));
    this.roots = fields.map(rootOf);
    this.makeEntries = makeEntries;
  }

  add(entry: Entry): void {
    const keys = this.keysOf(entry.document);
    if (keys === undefined) this.irregular.add(entry);
    else for (const key of keys) this.addAt(key, entry);
  }

  remove(entry: Entry): void {
    const keys = this.keysOf(entry.document);
    if (keys === undefined) this.irregular.delete(entry);
    else for (const key of keys) this.removeAt(key, entry);
  }

  isUntouchedBy(before: Entry['document'], after: Entry['document']): boolean {
    const isSame = (field: string): boolean => before[field] === after[field];
    return this.roots.every(isSame) && isSame(creationField);
  }

  /** Every entry that could hold these values, or undefined where the index does not apply. */
  candidates(values: ReadonlyMap<string, Scalar>): Candidates | undefined {
    if (this.irregular.size > 0 || !this.fields.every((field) => values.has(field))) return undefined;
    // Documents without the path are not in the index.
    if (this.path !== undefined && values.get(this.path) === null) return undefined;
    const bucket = this.buckets.get(this.join((field) => values.get(field) ?? null));
    return bucket === undefined ? [] : isMany(bucket) ? bucket : [bucket];
  }

  private entriesOf(...some: readonly Entry[]): Entries {
    const entries = this.makeEntries();
    for (const entry of some) entries.add(entry);
    return entries;
  }

  private addAt(key: Scalar, entry: Entry): void {
    const bucket = this.buckets.get(key);
    if (isMany(bucket)) bucket.add(entry);
    // Most keys are unique, and a set of one would take several times the memory.
    else this.buckets.set(key, bucket ? this.entriesOf(bucket, entry) : entry);
  }

  private removeAt(key: Scalar, entry: Entry): void {
    const bucket = this.buckets.get(key);
    if (isMany(bucket)) bucket.delete(entry);
    if (bucket === entry || (isMany(bucket) && bucket.size === 0)) this.buckets.delete(key);
  }

  /** Undefined for a document that equality looks into. */
  private keysOf(document: Entry['document']): readonly Scalar[] | undefined {
    const { path } = this;
    if (!this.fields.every((field) => field === path || isScalar(document[field] ?? null))) return undefined;
    const keyWith = (element: Scalar): Scalar =>
      this.join((field) => (field === path ? element : ((document[field] ?? null) as Scalar)));
    if (path === undefined) return [keyWith(null)];
    const elements = valuesAt(document, path).map((value) => value ?? null);
    if (!elements.every(isScalar)) return undefined;
    return [...new Set(elements.filter((value) => value !== null).map(keyWith))];
  }

  private join(valueOf: (field: string) => Scalar): Scalar {
    const [only] = this.fields;
    const isSingle = only !== undefined && this.fields.length === 1;
    return isSingle ? valueOf(only) : JSON.stringify(this.fields.map(valueOf));
  }
}

const rootOf = (path: string): string => path.split('.', 1)[0] ?? path;

/** Values of a document that are frozen. Users choose what their records hold, and 300,000 empty lists take 0.2 s. */
const mostFrozen = 5_000;

/**
 * Documents are shared by the store and everyone who reads them. Freezing costs under a microsecond a document, a copy
 * for each reader many times that; a reader that changes one after all gets a TypeError and spoils nothing.
 * Returns whether the document is a large one, which took milliseconds.
 */
export const freezeDeeply = (document: object): boolean => {
  const frozen: object[] = [document];
  let visited = 0;
  for (let at = 0; at < frozen.length; at += 1) {
    const value = frozen[at] as Readonly<Record<string, unknown>>;
    Object.freeze(value);
    for (const name in value) {
      if (frozen.length >= mostFrozen) break;
      visited += 1;
      const part = value[name];
      if (typeof part === 'object' && part !== null && !Object.isFrozen(part)) frozen.push(part);
    }
  }
  return visited >= mostFrozen - 1;
};
