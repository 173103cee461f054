import type { TraceParent } from '../wire/bus/channel.js';

/** Attributes of a span. Never a secret, never customer data. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  /** The span kind of OpenTelemetry. */
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  /** The parent span, in this process or another. Without a parent, or with an invalid one, a new trace begins. */
  readonly parent?: TraceParent | undefined;
  readonly attributes?: SpanAttributes;
}

/** A part of a trace, from where it was begun to its end. */
export interface Span {
  /** To pass on to child spans. */
  readonly traceparent: TraceParent;
  set(attributes: SpanAttributes): void;
  /** Ends the span, with an error if the operation failed. */
  end(error?: unknown): void;
}

/**
 * Traces operations across services. A service without tracing must have no overhead: no object, no header.
 */
export interface Tracing {
  /** Undefined where the trace is not sampled; then later services do not trace it either. */
  begin(name: string, start: SpanStart): Span | undefined;
}
