import { median } from '../measure/rounds.js';

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
export const allowance = { megabytes: 4, share: 0.08 };

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
