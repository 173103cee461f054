import type { Span } from '../ports/tracing.js';

/** For the `catch` of a traced operation: ends the spans with the error and rethrows it. */
export const endingWithError =
  (...spans: readonly (Span | undefined)[]) =>
  (error: unknown): never => {
    for (const span of spans) span?.end(error);
    throw error;
  };
