import { ErrorType, isCommandError, type CommandError } from '@eventstore/db-client';
import { EngineUnavailable } from '../../../ports/errors.js';
import { withTimeout } from '../../../runtime/waiting.js';

/** The server has not answered in time; what was asked may or may not have happened. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  constructor(withinMs: number) {
    super(`EventStoreDB has not answered within ${Math.round(withinMs)} ms`);
  }
}

/** The client's errors after which the same may succeed, on another connection or a little later. */
const passing: ReadonlySet<string> = new Set([
  ErrorType.UNAVAILABLE,
  ErrorType.DEADLINE_EXCEEDED,
  ErrorType.CANCELLED,
  ErrorType.TIMEOUT,
  ErrorType.NOT_LEADER,
  ErrorType.UNKNOWN,
]);

/** Whether asking again makes sense. What is not known as final may pass: appends and reads may be repeated. */
export const mayPass = (error: unknown): boolean => !isFinal(error) && !(error instanceof RangeError);

const isFinal = (error: unknown): boolean =>
  error instanceof Error && isCommandError(error) && (!passing.has(error.type) || isInvalidArgument(error));

/** The gRPC status `INVALID_ARGUMENT`, for which the client has no type. */
const invalidArgument = 3;

/** What was asked makes no sense to the server; of a read, that there is no record at the position. */
export const isInvalidArgument = (error: unknown): boolean =>
  error instanceof Error && isCommandError(error) && Number(error.code) === invalidArgument;

export const isOfType = (error: unknown, type: ErrorType): error is CommandError =>
  error instanceof Error && isCommandError(error) && error.type === type;

/** As the port wants it: what the caller did wrong stays what it is, everything else means the engine. */
export const asEngineFailure = (error: unknown): Error =>
  error instanceof EngineUnavailable || error instanceof RangeError
    ? error
    : new EngineUnavailable('event log', { cause: error });

/** Rejects with `NoAnswer` when the time is over first; what comes later is let go. */
export const answerWithin = <T>(withinMs: number, answer: Promise<T>): Promise<T> =>
  withTimeout(withinMs, answer, () => {
    throw new NoAnswer(withinMs);
  });
