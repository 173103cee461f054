import type { RecordTables } from './recordTables.js';

/** In one transaction: a few milliseconds, and appends come in between. */
const stepMessages = 100;

/** Removes all that has expired, step by step, and tells how many there were. Without a time it ends. */
export const removeExpired = async (
  { environment, messages, expiries }: RecordTables,
  now: () => number | undefined,
): Promise<number> => {
  for (let removed = 0; ;) {
    const time = now();
    if (time === undefined) return removed;
    const due = [...expiries.getRange({ start: [0, 0], end: afterTime(time), limit: stepMessages })];
    if (due.length === 0) return removed;
    await environment.transact(() => {
      for (const { key, value } of due) {
        messages.removeSync(value);
        expiries.removeSync(key);
      }
    });
    removed += due.length;
  }
};

const afterTime = (time: number): [number, number] => [time, Number.POSITIVE_INFINITY];
