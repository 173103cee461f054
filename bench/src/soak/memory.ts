import { setTimeout as pause } from 'node:timers/promises';
import { median } from '../measure/comparison.js';
import { anonymousKilobytes, startCpuMeter } from '../measure/usage.js';
import type { SoakedService } from './service.js';

export interface MemorySample {
  readonly seconds: number;
  readonly megabytes: number;
}

export interface Trend {
  /** The middle of all samples. */
  readonly megabytes: number;
  /** What the memory has grown by between the first and the last sample, by the median of all slopes between two. */
  readonly grown: number;
  readonly isFlat: boolean;
}

/** Growth that is not told from the ups and downs of a load that is never quite the same. */
const allowance = { megabytes: 4, share: 0.08 };

/** NaN, and not flat, for fewer than four samples. */
export const trendOf = (samples: readonly MemorySample[]): Trend => {
  const megabytes = median(samples.map((sample) => sample.megabytes));
  if (samples.length < 4) return { megabytes, grown: Number.NaN, isFlat: false };
  const span = (samples.at(-1) as MemorySample).seconds - (samples[0] as MemorySample).seconds;
  const grown = median(slopes(samples)) * span;
  return { megabytes, grown, isFlat: grown <= Math.max(allowance.megabytes, allowance.share * megabytes) };
};

const slopes = (samples: readonly MemorySample[]): readonly number[] =>
  samples.flatMap((one, index) =>
    samples
      .slice(index + 1)
      .map((other) => (other.megabytes - one.megabytes) / (other.seconds - one.seconds)),
  );

interface Samples {
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
