import type { Tracing } from '@roomwire/shared/ports/tracing';
import { Refusal } from './refusal.js';
import type { CommandContext } from './streamWriter.js';

/** Does a part of a command as a span of its trace, and in the context of that span. Without a trace it is just done. */
export const traced = async <T>(
  tracing: Tracing | undefined,
  name: string,
  context: CommandContext,
  perform: (context: CommandContext) => Promise<T>,
): Promise<T> => {
  const { traceparent: parent } = context;
  const span = parent === undefined ? undefined : tracing?.begin(name, { kind: 'internal', parent });
  if (span === undefined) return perform(context);
  try {
    const result = await perform({ ...context, traceparent: span.traceparent });
    span.end();
    return result;
  } catch (error) {
    // To be refused is no error of the service.
    span.end(error instanceof Refusal ? undefined : error);
    throw error;
  }
};
