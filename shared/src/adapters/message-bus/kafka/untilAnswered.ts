import { setTimeout as pause } from 'node:timers/promises';
import { EngineUnavailable } from '../../../ports/errors.js';
import { backOffMs } from '../../../runtime/waiting.js';

/** Short, so that work goes on soon after a broker is back; the number of those who try is small. */
const betweenAttempts = { firstMs: 50, longestMs: 500 };

export const pauseBeforeAttempt = (failures: number): number => backOffMs(betweenAttempts, failures);

/** A failure that trying again cannot mend. */
export class Unmendable extends Error {
  override readonly name: string = 'Unmendable';
}

/** What a broker says no to, and would say no to again. */
const refusals = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD']);

/** Whether an error is the brokers' last word, and not the lack of one. */
export const isAnswer = (error: unknown): boolean =>
  error instanceof Unmendable ||
  (error instanceof Error &&
    (refusals.has((error as { readonly type?: string }).type ?? '') || isAnswer(error.cause)));

/** Tries until it succeeds; past the time, rejects with `EngineUnavailable`. */
export const untilAnswered = async <T>(attempt: () => Promise<T>, withinMs: number): Promise<T> => {
  const deadline = performance.now() + withinMs;
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (cause) {
      if (isAnswer(cause) || cause instanceof EngineUnavailable) throw cause;
      if (performance.now() > deadline) throw new EngineUnavailable('message bus', { cause });
      await pause(pauseBeforeAttempt(failures));
    }
  }
};
