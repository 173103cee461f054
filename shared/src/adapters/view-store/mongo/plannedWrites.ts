import type { ViewName } from '../../../wire/views/views.js';
import type { ViewChange } from '../../../ports/viewStore.js';
import type { PlannedWrite } from './plannedWrite.js';
import { storedFilter } from './storedFilter.js';
import { ViewPlan } from './viewPlan.js';

/** By view, in the order in which they must be made; between views there is none. */
export type PlannedWrites = ReadonlyMap<ViewName, readonly PlannedWrite[]>;

/** Several changes of a document become one write, where nobody could tell the difference. */
export class WritePlan {
  readonly #views = new Map<ViewName, ViewPlan>();

  /** Of what is planned, in characters, more or less: what became one write counts once. */
  get size(): number {
    let size = 0;
    for (const plan of this.#views.values()) size += plan.size;
    return size;
  }

  get writes(): PlannedWrites {
    return new Map([...this.#views].map(([view, plan]) => [view, plan.writes]));
  }

  /** Throws a `TypeError` for a filter beyond the port. */
  add(changes: readonly ViewChange[]): void {
    for (const change of changes) this.#add(change);
  }

  #add(change: ViewChange): void {
    if ('put' in change) this.#of(change.put).document(change.id, { put: { ...change.doc } });
    else if ('patch' in change) this.#of(change.patch).document(change.id, { set: { ...change.set } });
    else if ('remove' in change) this.#of(change.remove).document(change.id, 'remove');
    else if ('patchWhere' in change)
      this.#of(change.patchWhere).patchWhere(storedFilter(change.filter), { ...change.set });
    else this.#of(change.removeWhere).removeWhere(change.filter, storedFilter(change.filter));
  }

  #of(view: ViewName): ViewPlan {
    const plan = this.#views.get(view) ?? new ViewPlan();
    this.#views.set(view, plan);
    return plan;
  }
}

export const planWrites = (changes: readonly ViewChange[]): PlannedWrites => {
  const plan = new WritePlan();
  plan.add(changes);
  return plan.writes;
};
