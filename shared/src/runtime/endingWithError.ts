import type { Span } from '../ports/tracing.js';

/** For the `catch` of what the spans are about: they end with the error, which is thrown again. */
export const endingWithError =
  (...spans: readonly (Span | undefined)[]) =>
  (error: unknown): never => {
    for (const span of spans) span?.end(error);
    throw error;
  };
