import type { Measurement } from '../measure/comparison.js';
import { startOwnCpuMeter } from '../measure/cpu.js';
import type { Store } from './store.js';

export interface ReadLoad {
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** Reads the whole store again and again; the file is in the page cache, as it is when a log is read after a write. */
export const measureReads = async (store: Store, load: ReadLoad): Promise<Measurement> => {
  await readFor(store, load.warmUpSeconds);
  const meter = startOwnCpuMeter();
  const events = await readFor(store, load.seconds);
  const { elapsed, cpu } = meter();
  return { eventsPerSecond: events / elapsed, cpuPerEvent: (cpu * 1e6) / events };
};

const readFor = async (store: Store, seconds: number): Promise<number> => {
  const end = performance.now() + seconds * 1000;
  let events = 0;
  do events += await store.readAll();
  while (performance.now() < end);
  return events;
};
