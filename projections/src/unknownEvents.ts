import { isOfTheControlPlane } from '@roomwire/shared/domain/auditHeads';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { isReadable, UnknownEvent } from '@roomwire/shared/domain/events';

/** What an operator can do about an event that this version cannot read. */
export const unknownEventRemedy = 'update projections';

export const remedyForUnknown = (error: unknown): string | undefined =>
  error instanceof UnknownEvent ? unknownEventRemedy : undefined;

/** The events before the first one that this version cannot read, and that one. */
export const upToUnknown = (
  events: readonly RecordedEvent[],
): { readonly readable: readonly RecordedEvent[]; readonly unknown: RecordedEvent | undefined } => {
  const index = events.findIndex((event) => isOfTheControlPlane(event) && !isReadable(event));
  return index < 0
    ? { readable: events, unknown: undefined }
    : { readable: events.slice(0, index), unknown: events[index] };
};
