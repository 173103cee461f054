import { isScalar, type Scalar } from './filterRules.js';

/** A document and its id; replaced in place, so that indexes need not follow what does not concern them. */
export interface Entry {
  readonly id: string;
  document: Readonly<Record<string, unknown>>;
}

type Bucket = Entry | Set<Entry>;

/** Finds the documents that hold given scalars in given fields. */
export class HashIndex {
  readonly #fields: readonly string[];
  readonly #buckets = new Map<Scalar, Bucket>();
  /** With a list or a document in an indexed field, which equality looks into: while there are any, the index stands back. */
  readonly #irregular = new Set<Entry>();

  constructor(fields: readonly string[]) {
    this.#fields = fields;
  }

  add(entry: Entry): void {
    const key = this.#keyOf(entry.document);
    const bucket = key === undefined ? this.#irregular : this.#buckets.get(key);
    if (bucket instanceof Set) bucket.add(entry);
    // Most keys are unique, and a set of one would take several times the memory.
    else if (key !== undefined) this.#buckets.set(key, bucket ? new Set([bucket, entry]) : entry);
  }

  remove(entry: Entry): void {
    const key = this.#keyOf(entry.document);
    const bucket = key === undefined ? this.#irregular : this.#buckets.get(key);
    if (bucket instanceof Set) bucket.delete(entry);
    if (key !== undefined && (bucket === entry || (bucket instanceof Set && bucket.size === 0)))
      this.#buckets.delete(key);
  }

  isUntouchedBy(before: Entry['document'], after: Entry['document']): boolean {
    return this.#fields.every((field) => before[field] === after[field]);
  }

  /** Every entry that could hold these values, or undefined where the index cannot tell. */
  candidates(values: ReadonlyMap<string, Scalar>): readonly Entry[] | ReadonlySet<Entry> | undefined {
    if (this.#irregular.size > 0 || !this.#fields.every((field) => values.has(field))) return undefined;
    const bucket = this.#buckets.get(this.#join((field) => values.get(field) ?? null));
    return bucket === undefined ? [] : bucket instanceof Set ? bucket : [bucket];
  }

  #keyOf(document: Entry['document']): Scalar | undefined {
    const isRegular = this.#fields.every((field) => isScalar(document[field] ?? null));
    return isRegular ? this.#join((field) => (document[field] ?? null) as Scalar) : undefined;
  }

  #join(valueOf: (field: string) => Scalar): Scalar {
    const [only] = this.#fields;
    const isSingle = only !== undefined && this.#fields.length === 1;
    return isSingle ? valueOf(only) : JSON.stringify(this.#fields.map(valueOf));
  }
}
