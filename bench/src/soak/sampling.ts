import { setTimeout as pause } from 'node:timers/promises';
import { startCpuMeter } from '../measure/cpu.js';
import { anonymousKilobytes } from '../measure/memory.js';
import type { MemorySample } from './memoryTrend.js';
import type { SoakedService } from './service.js';

export interface Samples {
  /** Anonymous memory of the process, as it is. */
  readonly resident: MemorySample[];
  /** What it holds after a collection of garbage. */
  readonly held: MemorySample[];
}

/** Looks in each stretch of time, and has the garbage collected once in so many looks. */
const looksPerCollection = 10;
const leastBetweenLooksMs = 1_000;
const looks = 180;

/** Samples the memory of a service evenly over a time, until it is over. */
export const sampleMemory = async (
  service: SoakedService,
  seconds: number,
  tell: (text: string) => void,
): Promise<Samples & { readonly serviceCpu: number; readonly ownCpu: number }> => {
  const samples: Samples = { resident: [], held: [] };
  const meter = startCpuMeter(service.processId);
  const betweenMs = Math.max(leastBetweenLooksMs, (seconds * 1000) / looks);
  const begin = performance.now();
  const elapsed = () => (performance.now() - begin) / 1000;
  for (let look = 0; elapsed() < seconds; look += 1) {
    samples.resident.push({ seconds: elapsed(), megabytes: anonymousKilobytes(service.processId) / 1024 });
    if (look % looksPerCollection === 0) {
      const megabytes = await service.heldMegabytes();
      samples.held.push({ seconds: elapsed(), megabytes });
      tell(`${elapsed().toFixed(0)} s: ${megabytes.toFixed(1)} MB held`);
    }
    await pause(Math.max(0, Math.min(betweenMs, (seconds - elapsed()) * 1000)));
  }
  const use = meter();
  return { ...samples, serviceCpu: use.server / use.elapsed, ownCpu: use.generator / use.elapsed };
};
