import { setTimeout as pause } from 'node:timers/promises';

export interface WaitOptions {
  /** The wait does not keep the process alive. */
  readonly unref?: boolean;
}

/** The outcome of the action; if that takes longer, what `late` returns or throws. The action itself goes on. */
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

/** Resolves after the time, or as soon as the signal aborts. */
export const sleep = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
  await pause(milliseconds, undefined, { signal }).catch(() => undefined);
};

export interface BackOff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** How long to wait after so many failures in a row: twice as long after each one, up to a bound. */
export const backOffMs = ({ firstMs, longestMs }: BackOff, failures: number): number =>
  Math.min(longestMs, firstMs * 2 ** (failures - 1));

/** In the upper half of the wait, as chance (0 to 1) has it: clients must not all come back at the same moment. */
export const withJitter = (milliseconds: number, chance: number): number => milliseconds * (0.5 + chance / 2);
