import type { ViewName } from '../../../contracts/views/views.js';
import type { ViewChange } from '../../../ports/viewStore.js';
import { storedFilter } from './storedFilter.js';

type Fields = Readonly<Record<string, unknown>>;

/** What becomes of one document. */
export type DocumentWrite = { readonly put: Fields } | { readonly set: Fields } | 'remove';

export type PlannedWrite =
  | { readonly documents: ReadonlyMap<string, DocumentWrite> }
  /** Every document that matches, in the form in which it is stored. */
  | { readonly where: Fields; readonly write: { readonly set: Fields } | 'remove' };

/** By view, in the order in which they must be made; between views there is none. */
export type PlannedWrites = ReadonlyMap<ViewName, readonly PlannedWrite[]>;

const followedBy = (earlier: DocumentWrite | undefined, later: DocumentWrite): DocumentWrite => {
  if (later === 'remove' || 'put' in later || earlier === undefined) return later;
  // What is not there is not patched.
  if (earlier === 'remove') return earlier;
  return 'put' in earlier
    ? { put: { ...earlier.put, ...later.set } }
    : { set: { ...earlier.set, ...later.set } };
};

class ViewPlan {
  readonly writes: PlannedWrite[] = [];
  #documents: Map<string, DocumentWrite> | undefined;

  document(id: string, write: DocumentWrite): void {
    if (!this.#documents) {
      this.#documents = new Map();
      this.writes.push({ documents: this.#documents });
    }
    this.#documents.set(id, followedBy(this.#documents.get(id), write));
  }

  /** Sees all that came before it, so nothing moves past it. */
  where(where: Fields, write: { readonly set: Fields } | 'remove'): void {
    this.writes.push({ where, write });
    this.#documents = undefined;
  }
}

/** Several changes of a document become one write, where nobody could tell the difference. */
export const planWrites = (changes: readonly ViewChange[]): PlannedWrites => {
  const plans = new Map<ViewName, ViewPlan>();
  const planOf = (view: ViewName): ViewPlan => {
    const plan = plans.get(view) ?? new ViewPlan();
    plans.set(view, plan);
    return plan;
  };
  for (const change of changes)
    if ('put' in change) planOf(change.put).document(change.id, { put: { ...change.doc } });
    else if ('patch' in change) planOf(change.patch).document(change.id, { set: { ...change.set } });
    else if ('remove' in change) planOf(change.remove).document(change.id, 'remove');
    else if ('patchWhere' in change)
      planOf(change.patchWhere).where(storedFilter(change.filter), { set: { ...change.set } });
    else planOf(change.removeWhere).where(storedFilter(change.filter), 'remove');
  return new Map([...plans].map(([view, { writes }]) => [view, writes]));
};
