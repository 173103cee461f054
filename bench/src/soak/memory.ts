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

/** Looks in each stretch of time, and has the garbage collected once in so many looks. */
const looksPerCollection = 10;
const leastBetweenLooksMs = 1_000;
const looks = 180;

/** The memory of a service over a time. */
export class MemorySampler {
  /** Anonymous memory of the process, as it is. */
  readonly resident: MemorySample[] = [];
  /** What it holds after a collection of garbage. */
  readonly held: MemorySample[] = [];
  private readonly service: SoakedService;
  private readonly tell: (text: string) => void;
  private readonly begin = performance.now();

  constructor(service: SoakedService, tell: (text: string) => void) {
    this.service = service;
    this.tell = tell;
  }

  /** Looks evenly, until the time is over. A collection holds everything up: where waits are measured, others say when. */
  async run(
    seconds: number,
    { collects }: { readonly collects: boolean },
  ): Promise<{ readonly serviceCpu: number; readonly ownCpu: number }> {
    const meter = startCpuMeter(this.service.processId);
    const betweenMs = Math.max(leastBetweenLooksMs, (seconds * 1000) / looks);
    for (let look = 0; this.elapsed < seconds; look += 1) {
      const megabytes = anonymousKilobytes(this.service.processId) / 1024;
      this.resident.push({ seconds: this.elapsed, megabytes });
      if (collects && look % looksPerCollection === 0) await this.collect();
      await pause(Math.max(0, Math.min(betweenMs, (seconds - this.elapsed) * 1000)));
    }
    const use = meter();
    return { serviceCpu: use.server / use.elapsed, ownCpu: use.generator / use.elapsed };
  }

  async collect(): Promise<void> {
    const megabytes = await this.service.heldMegabytes();
    this.held.push({ seconds: this.elapsed, megabytes });
    this.tell(`${this.elapsed.toFixed(0)} s: ${megabytes.toFixed(1)} MB held`);
  }

  private get elapsed(): number {
    return (performance.now() - this.begin) / 1000;
  }
}
