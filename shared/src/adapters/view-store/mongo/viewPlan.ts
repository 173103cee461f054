import type { ViewFilter } from '../../../ports/viewStore.js';
import { roughSize } from '../../../runtime/roughSize.js';
import { isPut, type DocumentWrite, type Fields, type PlannedWrite } from './plannedWrite.js';
import { ValueIndex } from './valueIndex.js';

/**
 * The writes of one view. Removals of all that match pass the documents that are planned already, where what becomes of
 * these can be told from the plan: a history in which every other event removes something is not cut up by it.
 */
export class ViewPlan {
  readonly #done: PlannedWrite[] = [];
  #doneSize = 0;
  #part = new PlanPart();

  /** In characters, more or less. */
  get size(): number {
    return this.#doneSize + this.#part.size;
  }

  get writes(): readonly PlannedWrite[] {
    return [...this.#done, ...this.#part.writes];
  }

  document(id: string, write: DocumentWrite): void {
    this.#part.document(id, write);
  }

  removeWhere(filter: ViewFilter, where: Fields): void {
    const equality = onlyEquality(filter);
    if (equality === undefined) return this.#cut({ where, write: 'remove' });
    if (!this.#part.canTell(equality.field)) this.#cut();
    this.#part.removeWhere(equality, where);
  }

  /** Sees all that came before it, so nothing moves past it. */
  patchWhere(where: Fields, set: Fields): void {
    this.#cut({ where, write: { set } });
  }

  #cut(...between: readonly PlannedWrite[]): void {
    this.#done.push(...this.#part.writes, ...between);
    this.#doneSize += this.#part.size + roughSize(between);
    this.#part = new PlanPart();
  }
}

interface Equality {
  readonly field: string;
  readonly value: string;
}

/** Removals first, then documents. A removal in front does not see the documents, and has been made on them in the plan. */
class PlanPart {
  readonly #removals = new Map<string, PlannedWrite>();
  readonly #documents = new Map<string, DocumentWrite>();
  /** Fields that are set in documents of which the plan does not know the rest. */
  readonly #fieldsSet = new Set<string>();
  readonly #byValue = new ValueIndex();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get writes(): readonly PlannedWrite[] {
    const documents = this.#documents.size === 0 ? [] : [{ documents: this.#documents }];
    return [...this.#removals.values(), ...documents];
  }

  document(id: string, write: DocumentWrite): void {
    const before = this.#documents.get(id);
    const after = followedBy(before, write);
    this.#documents.set(id, after);
    this.#size += roughSize(after) - (before === undefined ? -id.length : roughSize(before));
    if (after === 'remove') return;
    if ('put' in after) this.#byValue.note(id, after.put);
    else for (const field of Object.keys(after.set)) this.#fieldsSet.add(field);
  }

  /** Whether a document is removed by its value in this field, and not by one that is yet to be set. */
  canTell(field: string): boolean {
    return !this.#fieldsSet.has(field);
  }

  removeWhere({ field, value }: Equality, where: Fields): void {
    const key = JSON.stringify([field, value]);
    if (!this.#removals.has(key)) this.#size += key.length;
    this.#removals.set(key, { where, write: 'remove' });
    for (const id of this.#byValue.with(field, value, this.#puts())) {
      const write = this.#documents.get(id);
      if (isPut(write) && holds(write.put[field], value)) this.#documents.set(id, 'remove');
    }
  }

  *#puts(): Generator<readonly [id: string, document: Fields]> {
    for (const [id, write] of this.#documents) if (isPut(write)) yield [id, write.put];
  }
}

const followedBy = (earlier: DocumentWrite | undefined, later: DocumentWrite): DocumentWrite => {
  if (later === 'remove' || 'put' in later || earlier === undefined) return later;
  // What is not there is not patched.
  if (earlier === 'remove') return earlier;
  return 'put' in earlier
    ? { put: { ...earlier.put, ...later.set } }
    : { set: { ...earlier.set, ...later.set } };
};

const holds = (found: unknown, value: string): boolean =>
  Array.isArray(found) ? found.includes(value) : found === value;

/** Of a filter that asks for one field of the document itself to be one string, as those of the projectors do. */
const onlyEquality = (filter: ViewFilter): Equality | undefined => {
  const [[field, value] = [], ...others] = Object.entries(filter);
  if (field === undefined || others.length > 0 || typeof value !== 'string') return undefined;
  return field.startsWith('$') || field.includes('.') ? undefined : { field, value };
};
