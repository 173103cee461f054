import { Samples } from '../../measure/samples.js';

/** What well-behaved clients wait for. */
const waitsForService = ['delivery', 'acknowledgement', 'heartbeat', 'REST read'] as const;
/** How late they are themselves, which is part of every other wait and no fault of the service. */
export const ownDelay = 'a timer of the clients';
export const waits = [...waitsForService, ownDelay] as const;
export type Wait = (typeof waits)[number];

export const isForService = (wait: Wait): boolean => wait !== ownDelay;

/** `calm`: nobody is hostile; `attacked`: the hostile tenant does its worst. */
export type Phase = 'calm' | 'attacked';

export interface LatencyComparison {
  readonly wait: Wait;
  readonly calmP99: number;
  readonly attackedP99: number;
  readonly ratio: number;
  readonly samples: number;
}

/** How long well-behaved clients waited, in ms, with and without a hostile tenant beside them. */
export class Latencies {
  /** Undefined: what comes now belongs to neither, because one phase goes over into another. */
  phase: Phase | undefined;
  private readonly samples = new Map<string, Samples>();

  record(wait: Wait, ms: number): void {
    if (this.phase !== undefined) this.of(wait, this.phase).record(ms);
  }

  compare(): readonly LatencyComparison[] {
    return waits.map((wait) => {
      const [calm, attacked] = [this.of(wait, 'calm'), this.of(wait, 'attacked')];
      const [calmP99, attackedP99] = [calm.percentile(99), attacked.percentile(99)];
      const ratio = attackedP99 / calmP99;
      return { wait, calmP99, attackedP99, ratio, samples: calm.count + attacked.count };
    });
  }

  private of(wait: Wait, phase: Phase): Samples {
    const key = `${phase} ${wait}`;
    const samples = this.samples.get(key) ?? new Samples();
    this.samples.set(key, samples);
    return samples;
  }
}
