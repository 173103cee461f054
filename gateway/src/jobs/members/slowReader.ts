import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';

export interface DeliveredJob {
  readonly seq: number;
  readonly message: LiveMessage;
  readonly delivery: number;
}

export interface SlowReaderDeps {
  /** Whether the connection reads as fast as it is written to. */
  readonly hasRoom: () => boolean;
  readonly hand: (job: DeliveredJob) => void;
}

const pollMs = 10;

/** Jobs that wait until their connection has read what was before them. */
export class SlowReader {
  private readonly deps: SlowReaderDeps;
  private readonly waiting = new Map<number, DeliveredJob>();
  private timer: NodeJS.Timeout | undefined;

  constructor(deps: SlowReaderDeps) {
    this.deps = deps;
  }

  /** The numbers of those that wait. */
  get seqs(): Iterable<number> {
    return this.waiting.keys();
  }

  /** At once where there is room; once, if it waits already. */
  take(job: DeliveredJob): void {
    const { hasRoom, hand } = this.deps;
    if (this.waiting.size === 0 && hasRoom()) return hand(job);
    this.waiting.set(job.seq, job);
    this.timer ??= setInterval(() => this.handWaiting(), pollMs).unref();
  }

  clear(): void {
    this.waiting.clear();
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private handWaiting(): void {
    for (const [seq, job] of this.waiting) {
      if (!this.deps.hasRoom()) return;
      this.waiting.delete(seq);
      this.deps.hand(job);
    }
    this.clear();
  }
}
