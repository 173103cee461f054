import type { NewEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog } from '@roomwire/shared/ports/eventLog';

/** An event as some program has written it, and its stream. */
export interface PastEvent extends NewEvent {
  readonly stream: string;
}

/** Writes the events into a log, in their order. */
export const writeHistory = async (log: EventLog, events: readonly PastEvent[]): Promise<void> => {
  const revisions = new Map<string, number>();
  for (const { stream, ...event } of events) {
    const { revision } = await log.append(stream, revisions.get(stream) ?? 'none', [event]);
    revisions.set(stream, revision);
  }
};
