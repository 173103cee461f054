import type { Measurement } from '../measure/comparison.js';

/** Messages a second of the phases whose latency is measured. */
export const hopRates = { fast: 5_000, moderate: 200 } as const;

export interface HopLoad {
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** Saturated: this many messages between their sending and their arrival. */
  readonly window: number;
  /** Whose CPU time is counted, by the name of the figure. */
  readonly processes: Readonly<Record<string, number>>;
}

export type HopPhase = 'saturated' | keyof typeof hopRates;

export type HopResult = Readonly<Record<HopPhase, Measurement>>;
