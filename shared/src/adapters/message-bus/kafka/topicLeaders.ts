import type { Leaders } from './kafkaClient.js';

/** Longer than an attempt. A partition that nothing was sent to since then may be another matter now. */
const refusalCountsMs = 15_000;

interface Written {
  readonly partition: number;
  /** Monotonic clock: when it last did not take its records, if it has taken none since. */
  readonly refusedAt: number | undefined;
}

/** Who leads the partitions of a topic, as far as known. */
export class TopicLeaders {
  private readonly ask: () => Promise<Leaders>;
  private found: Leaders | undefined;
  private looking: Promise<void> | undefined;

  constructor(ask: () => Promise<Leaders>) {
    this.ask = ask;
  }

  get areKnown(): boolean {
    return this.found !== undefined;
  }

  of(partition: number): number | undefined {
    return this.found?.[partition]?.leader;
  }

  /** Where nobody can say, what was known before is all there is. */
  look(): Promise<void> {
    const ended = (leaders: Leaders | undefined): void => {
      this.found = leaders ?? this.found;
      this.looking = undefined;
    };
    return (this.looking ??= this.ask().then(ended, () => ended(undefined)));
  }

  /** Whether the partition takes what is to be stored, or may. */
  mayTake({ partition, refusedAt }: Written, fewestInSync: number): boolean {
    const led = this.found?.[partition];
    if (!led || led.inSyncReplicas < Math.min(fewestInSync, led.replicas)) return false;
    return refusedAt === undefined || performance.now() - refusedAt > refusalCountsMs;
  }
}
