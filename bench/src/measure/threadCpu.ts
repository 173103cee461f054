import { readdirSync, readFileSync } from 'node:fs';
import { cpuSecondsOf } from './usage.js';

/** CPU seconds by the id of the thread. The main thread has the id of the process. */
export type ThreadSeconds = ReadonlyMap<number, number>;

/** Empty where there is no /proc, or no such process. */
const threadCpuSeconds = (processId: number): ThreadSeconds => {
  const folder = `/proc/${processId}/task`;
  try {
    const ids = readdirSync(folder).map(Number);
    return new Map(ids.map((id) => [id, cpuSecondsOf(readFileSync(`${folder}/${id}/stat`, 'latin1'))]));
  } catch {
    return new Map();
  }
};

/** How the work of a process was divided, each a share from 0 to 1. */
export interface Division {
  /** What the least busy of the threads did, of what an even division would give it. */
  readonly evenness: number;
  /** Of all CPU time of the process. */
  readonly mainThread: number;
}

/** Those beside the main one that were busiest are the threads; what else Node runs in threads is next to nothing. */
export const divisionOf = (used: ThreadSeconds, processId: number, threads: number): Division => {
  const busiest = [...used].filter(([id]) => id !== processId).map(([, seconds]) => seconds);
  const counted = busiest.toSorted((one, other) => other - one).slice(0, threads);
  const sum = (all: Iterable<number>): number => [...all].reduce((total, seconds) => total + seconds, 0);
  return {
    evenness: (counted.at(-1) ?? Number.NaN) / (sum(counted) / threads),
    mainThread: (used.get(processId) ?? Number.NaN) / sum(used.values()),
  };
};

/** Begins to measure; the result tells how the work was divided since. */
export const startDivisionMeter = (processId: number, threads: number): (() => Division) => {
  const before = threadCpuSeconds(processId);
  return () => {
    const used = [...threadCpuSeconds(processId)].map(
      ([id, seconds]) => [id, seconds - (before.get(id) ?? 0)] as const,
    );
    return divisionOf(new Map(used), processId, threads);
  };
};
