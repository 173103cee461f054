import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../ports/random.js';

export interface WaitOptions {
  /** The wait does not keep the process alive. */
  readonly unref?: boolean;
}

/** The outcome of the action; after the time-out, the outcome of `late`. The action itself continues. */
export const withTimeout = async <T>(
  milliseconds: number,
  action: Promise<T>,
  late: () => T,
  { unref = false }: WaitOptions = {},
): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
    if (unref) timer.unref();
  });
  try {
    return await Promise.race([action, timeout.then(late)]);
  } finally {
    clearTimeout(timer);
  }
};

/** The outcome of the action; rejects as soon as the signal aborts. The action itself continues. */
export const untilAborted = async <T>(action: Promise<T>, signal: AbortSignal): Promise<T> => {
  const settled = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const end = (): void => reject(signal.reason as Error);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true, signal: settled.signal });
  });
  try {
    return await Promise.race([action, aborted]);
  } finally {
    settled.abort();
  }
};

/** Resolves after the time, or as soon as the signal aborts. */
export const sleep = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
  await pause(milliseconds, undefined, { signal }).catch(() => undefined);
};

export interface BackOff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Exponential back-off: doubles with each consecutive failure, up to a bound. */
export const backOffMs = ({ firstMs, longestMs }: BackOff, failures: number): number =>
  Math.min(longestMs, firstMs * 2 ** (failures - 1));

export interface RetryOptions {
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly betweenTries: BackOff;
  /** Told of each failure, counted from 1. What it throws ends it, too. */
  readonly failed: (error: unknown, failures: number) => void;
}

/** Tries on until it succeeds. Rejects with what it failed of once the signal has aborted. */
export const retried = async <T>(
  action: () => Promise<T>,
  { signal, betweenTries, failed }: RetryOptions,
): Promise<T> => {
  for (let failures = 1; ; failures += 1)
    try {
      return await action();
    } catch (error) {
      if (signal.aborted) throw error;
      failed(error, failures);
      await sleep(backOffMs(betweenTries, failures), signal);
    }
};

/** From 0 to 1. */
export const chanceOf = (random: Pick<Random, 'bytes'>): number => (random.bytes(1)[0] as number) / 255;

/** A wait with jitter (`chance` is 0 to 1) in the upper half, so that clients do not reconnect simultaneously. */
export const withJitter = (milliseconds: number, chance: number): number => milliseconds * (0.5 + chance / 2);
