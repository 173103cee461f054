import type { ViewName, Views } from '../wire/views/views.js';
import type { RecordedEvent } from '../domain/eventEnvelope.js';
import type { ViewFilter } from './viewStore.js';

/** Read models of some events alone, in memory, folded by the projectors that keep the live ones. */
export interface ViewFold {
  /** The event's changes, all or none. An event that cannot be read changes nothing, as in the live read models. */
  apply(event: RecordedEvent): void;
  get<V extends ViewName>(view: V, id: string): Views[V] | undefined;
  find<V extends ViewName>(view: V, filter: ViewFilter): Views[V][];
}

export type CreateViewFold = () => ViewFold;
