import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';

/** Called after each batch. */
export type OnProgress = (events: number, position: LogPosition) => void;

/** The events of the log up to a position, in batches that are not empty. */
export async function* upTo(
  log: EventLog,
  position: LogPosition | undefined,
  after?: LogPosition,
): AsyncIterable<readonly RecordedEvent[]> {
  if (position === undefined || (after !== undefined && after >= position)) return;
  for await (const batch of log.readAll(after)) {
    const within: readonly RecordedEvent[] = batch.filter((event) => event.position <= position);
    if (within.length > 0) yield within;
    if (within.length < batch.length || within.at(-1)?.position === position) return;
  }
}
