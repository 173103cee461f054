import { setTimeout as wait } from 'node:timers/promises';
import type { Measurement } from '../measure/comparison.js';
import { startOwnCpuMeter } from '../measure/usage.js';
import { Samples } from '../measure/samples.js';
import { roomCreated, someOwner } from './history.js';
import type { Store } from './stores.js';

interface AppendLoad {
  readonly writers: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

/** Each writer appends one event, waits until it is on disk, and appends the next one. */
export const measureAppends = async (store: Store, load: AppendLoad): Promise<Measurement> => {
  const owner = someOwner();
  const samples = new Samples();
  let isOver = false;
  const keepWriting = async (index: number): Promise<void> => {
    const append = store.writer(index);
    for (let event = 0; !isOver; event += 1) {
      const begin = performance.now();
      await append(roomCreated(owner, owner.projectId, event));
      samples.record(performance.now() - begin);
    }
  };
  const writing = Promise.all(Array.from({ length: load.writers }, (_, index) => keepWriting(index)));
  await Promise.race([writing, wait(load.warmUpSeconds * 1000)]);
  samples.clear();
  const meter = startOwnCpuMeter();
  await Promise.race([writing, wait(load.seconds * 1000)]);
  const { elapsed, cpu } = meter();
  const figures = {
    appendsPerSecond: samples.count / elapsed,
    p50: samples.percentile(50),
    p99: samples.percentile(99),
    cpuPerAppend: (cpu * 1e6) / samples.count,
  };
  isOver = true;
  await writing;
  return figures;
};

interface ReadLoad {
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
