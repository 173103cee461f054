import { setTimeout as pause } from 'node:timers/promises';

export interface EventuallyOptions {
  readonly withinMs?: number;
  /** What is waited for, for the message when it does not come. */
  readonly what?: string;
}

const betweenLooksMs = 2;

/** What a look shows that has shown the same so many times again. */
export const settled = async (look: () => number | Promise<number>, times: number): Promise<number> => {
  let [last, same] = [Number.NaN, 0];
  await eventually(async () => {
    const now = await look();
    same = now === last ? same + 1 : 0;
    last = now;
    return same === times;
  });
  return last;
};

/** Resolves as soon as the condition holds; rejects when it does not within the time (5 s unless told). */
export const eventually = async (
  condition: () => boolean | Promise<boolean>,
  { withinMs = 5000, what = 'the condition' }: EventuallyOptions = {},
): Promise<void> => {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Waited ${withinMs} ms for ${what}`);
    await pause(betweenLooksMs);
  }
};
