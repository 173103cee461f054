import type { TraceParent } from '../wire/bus/channel.js';

/** What a span says. Never a secret, never what a customer sent. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  /** What it does: answers a request, makes one, hands on, takes over, or neither. */
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  /** Where it comes from, in this process or another. Without one, and with one that cannot be read, a trace begins. */
  readonly parent?: TraceParent | undefined;
  readonly attributes?: SpanAttributes;
}

/** A part of a trace, from where it was begun to its end. */
export interface Span {
  /** For whoever goes on. */
  readonly traceparent: TraceParent;
  set(attributes: SpanAttributes): void;
  /** With what went wrong, if something did. */
  end(error?: unknown): void;
}

/**
 * Follows what happens through all services. A service that is given none is to do nothing for it: no object, no header.
 */
export interface Tracing {
  /** Undefined where the trace is not one of those that are kept: then nobody behind does anything for it either. */
  begin(name: string, start: SpanStart): Span | undefined;
}
