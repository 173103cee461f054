/** Runs `action` once after `delayMs` milliseconds; the function that it returns cancels that. */
export type Schedule = (action: () => void, delayMs: number) => () => void;

/** A number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

export const systemSchedule: Schedule = (action, delayMs) => {
  const timer = setTimeout(action, delayMs);
  return () => clearTimeout(timer);
};

export const systemRandom: Random = () => Math.random();

/** What stands in for a cancel function while nothing is scheduled. */
export const nothing = (): void => undefined;
