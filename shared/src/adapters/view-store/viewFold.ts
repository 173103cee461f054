import type { ViewName, Views } from '../../wire/views/views.js';
import type { RecordedEvent } from '../../domain/eventEnvelope.js';
import { UnknownEvent } from '../../domain/events.js';
import type { ViewFold } from '../../ports/viewStore.js';
import type { ViewChange, ViewFilter } from '../../ports/viewStore.js';
import { ViewDocuments } from './viewDocuments.js';

/** `changesOf`: the projectors. */
export const createViewFold = (changesOf: (event: RecordedEvent) => readonly ViewChange[]): ViewFold => {
  const documents = new ViewDocuments(() => undefined);
  const readableChanges = (event: RecordedEvent): readonly ViewChange[] => {
    try {
      return changesOf(event);
    } catch (error) {
      if (error instanceof UnknownEvent) return [];
      throw error;
    }
  };
  return {
    apply: (event) => documents.apply(readableChanges(event)),
    get: <V extends ViewName>(view: V, id: string) => documents.get(view, id) as Views[V] | undefined,
    find: <V extends ViewName>(view: V, filter: ViewFilter) =>
      documents.matching(view, filter) as unknown as Views[V][],
  };
};
