import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Span, Tracing } from '@roomwire/shared/ports/tracing';

/** Read models that are built anew meet the whole history: of what happened longer ago no trace waits for more. */
const mostRecentMs = 600_000;

/** A span for each event of a batch whose command was traced: from its arrival until it is in the read models. */
export const traceEvents = (
  tracing: Tracing,
  events: readonly RecordedEvent[],
  clock: Clock,
): readonly Span[] => {
  const oldest = new Date(clock.now() - mostRecentMs).toISOString();
  const spans: Span[] = [];
  for (const { type, metadata, position } of events) {
    const { traceparent: parent, occurredAt } = metadata;
    if (parent === undefined || occurredAt < oldest) continue;
    const attributes = { 'roomwire.event_type': type, 'roomwire.position': position };
    const span = tracing.begin(`project ${type}`, { kind: 'consumer', parent, attributes });
    if (span) spans.push(span);
  }
  return spans;
};
