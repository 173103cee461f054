import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';

/** Does it for 0 to `count` - 1, never more than `atOnce` at a time. Rejects with the first failure. */
export const inTurn = async (
  count: number,
  atOnce: number,
  act: (index: number) => Promise<void>,
): Promise<void> => {
  let next = 0;
  const keepActing = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await act(next - 1);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, keepActing));
};

/** Timers come up to this late; the rest of the time is spent looking at the clock between turns of the event loop. */
const timerSlackMs = 1.5;

/**
 * Open loop: acts at fixed moments, whatever became of the earlier ones. What is late is done at once, and is told
 * when it should have been.
 */
export const pace = async (
  perSecond: number,
  seconds: number,
  act: (intended: number) => void,
): Promise<void> => {
  const begin = performance.now();
  const times = Math.round(perSecond * seconds);
  for (let index = 0; index < times; index += 1) {
    const due = begin + (index * 1000) / perSecond;
    await until(due);
    act(due);
  }
  await until(begin + seconds * 1000);
};

/** The same for many messages a second, without looking at the clock all the time: up to a millisecond late. */
export const paceInTicks = async (
  perSecond: number,
  seconds: number,
  act: (intended: number) => void,
): Promise<void> => {
  const begin = performance.now();
  const times = Math.round(perSecond * seconds);
  for (let index = 0; index < times; await wait(1)) {
    const due = Math.min(times, 1 + Math.floor(((performance.now() - begin) * perSecond) / 1000));
    for (; index < due; index += 1) act(begin + (index * 1000) / perSecond);
  }
  await until(begin + seconds * 1000);
};

const until = async (due: number): Promise<void> => {
  const early = Math.floor(due - performance.now() - timerSlackMs);
  if (early >= 1) await wait(early);
  while (performance.now() < due) await nextTurn();
};
