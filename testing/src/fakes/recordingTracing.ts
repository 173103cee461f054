import type { Span, SpanAttributes, SpanStart, Tracing } from '@roomwire/shared/ports/tracing';

export interface RecordedSpan {
  readonly name: string;
  readonly start: SpanStart;
  readonly traceparent: string;
  readonly attributes: SpanAttributes;
  /** Undefined while it is open; the error that it ended with, or null. */
  readonly ended: unknown;
}

/** Keeps every trace, or none, and what was said of it. */
export const recordingTracing = (isKept = true): { tracing: Tracing; spans: RecordedSpan[] } => {
  const spans: RecordedSpan[] = [];
  const begin = (name: string, start: SpanStart): Span | undefined => {
    if (!isKept) return undefined;
    const number = String(spans.length + 1).padStart(16, '0');
    const traceId = start.parent?.split('-')[1] ?? `${number}${number}`;
    const span = {
      ...{ name, start, traceparent: `00-${traceId}-${number}-01` },
      attributes: { ...start.attributes },
      ended: undefined as unknown,
    };
    spans.push(span);
    return {
      traceparent: span.traceparent,
      set: (attributes) => void Object.assign(span.attributes, attributes),
      end: (error) => void (span.ended = error ?? null),
    };
  };
  return { tracing: { begin }, spans };
};
