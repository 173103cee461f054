import type { ViewChange, ViewFilter } from '../../../ports/viewStore.js';
import { roughSize } from '../../../runtime/roughSize.js';
import type { ViewName } from '../../../wire/views/views.js';
import { storedFilter } from './storedDocument.js';

export type Fields = Readonly<Record<string, unknown>>;

/** The write of one document. */
export type DocumentWrite = { readonly put: Fields } | { readonly set: Fields } | 'remove';

export type PlannedWrite =
  | { readonly documents: ReadonlyMap<string, DocumentWrite> }
  /** Every document that matches, in the form in which it is stored. */
  | { readonly where: Fields; readonly write: { readonly set: Fields } | 'remove' };

export const isPut = (write: DocumentWrite | undefined): write is { readonly put: Fields } =>
  typeof write === 'object' && 'put' in write;

/** By view, in the order in which they must be made; views are independent of one another. */
export type PlannedWrites = ReadonlyMap<ViewName, readonly PlannedWrite[]>;

/** Merges several changes of a document into one write, where the result is the same. */
export class WritePlan {
  private readonly views = new Map<ViewName, ViewPlan>();

  /** Approximate size in characters; merged changes count once. */
  get size(): number {
    let size = 0;
    for (const plan of this.views.values()) size += plan.size;
    return size;
  }

  get writes(): PlannedWrites {
    return new Map([...this.views].map(([view, plan]) => [view, plan.writes]));
  }

  /** Throws a `TypeError` for a filter beyond the port. */
  add(changes: readonly ViewChange[]): void {
    for (const change of changes) this.addChange(change);
  }

  private addChange(change: ViewChange): void {
    if ('put' in change) this.of(change.put).document(change.id, { put: { ...change.doc } });
    else if ('patch' in change) this.of(change.patch).document(change.id, { set: { ...change.set } });
    else if ('remove' in change) this.of(change.remove).document(change.id, 'remove');
    else if ('patchWhere' in change)
      this.of(change.patchWhere).patchWhere(storedFilter(change.filter), { ...change.set });
    else this.of(change.removeWhere).removeWhere(change.filter, storedFilter(change.filter));
  }

  private of(view: ViewName): ViewPlan {
    const plan = this.views.get(view) ?? new ViewPlan();
    this.views.set(view, plan);
    return plan;
  }
}

export const planWrites = (changes: readonly ViewChange[]): PlannedWrites => {
  const plan = new WritePlan();
  plan.add(changes);
  return plan.writes;
};

/**
 * The writes of one view. A removal by a filter moves ahead of the planned documents, where its effect on them is known from
 * the plan, so that a history in which every other event removes something is still written in large batches.
 */
class ViewPlan {
  private readonly done: PlannedWrite[] = [];
  private doneSize = 0;
  private part = new PlanPart();

  /** In characters, more or less. */
  get size(): number {
    return this.doneSize + this.part.size;
  }

  get writes(): readonly PlannedWrite[] {
    return [...this.done, ...this.part.writes];
  }

  document(id: string, write: DocumentWrite): void {
    this.part.document(id, write);
  }

  removeWhere(filter: ViewFilter, where: Fields): void {
    const equality = onlyEquality(filter);
    if (equality === undefined) return this.cut({ where, write: 'remove' });
    if (!this.part.canTell(equality.field)) this.cut();
    this.part.removeWhere(equality, where);
  }

  /** Affects all earlier writes, so no later write moves ahead of it. */
  patchWhere(where: Fields, set: Fields): void {
    this.cut({ where, write: { set } });
  }

  private cut(...between: readonly PlannedWrite[]): void {
    this.done.push(...this.part.writes, ...between);
    this.doneSize += this.part.size + roughSize(between);
    this.part = new PlanPart();
  }
}

interface Equality {
  readonly field: string;
  readonly value: string;
}

/** Removals first, then documents. A removal that moved ahead has been applied to the documents in the plan. */
class PlanPart {
  private readonly removals = new Map<string, PlannedWrite>();
  private readonly documents = new Map<string, DocumentWrite>();
  /** Fields that are patched in documents whose other fields the plan does not have. */
  private readonly fieldsSet = new Set<string>();
  private readonly byValue = new ValueIndex();
  /** In characters, approximately. */
  size = 0;

  get writes(): readonly PlannedWrite[] {
    const documents = this.documents.size === 0 ? [] : [{ documents: this.documents }];
    return [...this.removals.values(), ...documents];
  }

  document(id: string, write: DocumentWrite): void {
    const before = this.documents.get(id);
    const after = followedBy(before, write);
    this.documents.set(id, after);
    this.size += roughSize(after) - (before === undefined ? -id.length : roughSize(before));
    if (after === 'remove') return;
    if ('put' in after) this.byValue.note(id, after.put);
    else for (const field of Object.keys(after.set)) this.fieldsSet.add(field);
  }

  /** Whether the effect of a removal by this field is known: no planned patch sets it. */
  canTell(field: string): boolean {
    return !this.fieldsSet.has(field);
  }

  removeWhere({ field, value }: Equality, where: Fields): void {
    const key = JSON.stringify([field, value]);
    if (!this.removals.has(key)) this.size += key.length;
    this.removals.set(key, { where, write: 'remove' });
    for (const id of this.byValue.with(field, value, this.puts())) {
      const write = this.documents.get(id);
      if (isPut(write) && holds(write.put[field], value)) this.documents.set(id, 'remove');
    }
  }

  private *puts(): Generator<readonly [id: string, document: Fields]> {
    for (const [id, write] of this.documents) if (isPut(write)) yield [id, write.put];
  }
}

const followedBy = (earlier: DocumentWrite | undefined, later: DocumentWrite): DocumentWrite => {
  if (later === 'remove' || 'put' in later || earlier === undefined) return later;
  // A patch of a missing document has no effect.
  if (earlier === 'remove') return earlier;
  return 'put' in earlier
    ? { put: { ...earlier.put, ...later.set } }
    : { set: { ...earlier.set, ...later.set } };
};

const holds = (found: unknown, value: string): boolean =>
  Array.isArray(found) ? found.includes(value) : found === value;

/** The equality of a filter on one top-level field with a string, the form that the projectors use. */
const onlyEquality = (filter: ViewFilter): Equality | undefined => {
  const [[field, value] = [], ...others] = Object.entries(filter);
  if (field === undefined || others.length > 0 || typeof value !== 'string') return undefined;
  return field.startsWith('$') || field.includes('.') ? undefined : { field, value };
};

type Documents = Iterable<readonly [id: string, document: Fields]>;

/** Documents by the strings in the fields that were queried before. May return documents that have changed since. */
class ValueIndex {
  private readonly fields = new Map<string, Map<string, Set<string>>>();

  note(id: string, document: Fields): void {
    for (const [field, ids] of this.fields) noteIn(ids, document[field], id);
  }

  /** Scans all documents when a field is queried for the first time. */
  with(field: string, value: string, documents: Documents): Iterable<string> {
    let ids = this.fields.get(field);
    if (ids === undefined) {
      ids = new Map();
      this.fields.set(field, ids);
      for (const [id, document] of documents) noteIn(ids, document[field], id);
    }
    return ids.get(value) ?? [];
  }
}

const noteIn = (ids: Map<string, Set<string>>, found: unknown, id: string): void => {
  for (const value of Array.isArray(found) ? found : [found]) {
    if (typeof value !== 'string') continue;
    const noted = ids.get(value) ?? new Set();
    ids.set(value, noted.add(id));
  }
};
