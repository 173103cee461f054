import type { Logger } from '@roomwire/shared/ports/logger';

/** In the thread: how often it shows that its event loop turns. */
const beatEveryMs = 250;

export interface WatchBounds {
  readonly lookEveryMs: number;
  /** A thread that has shown nothing in so many looks in succession is blocked. */
  readonly blockedLooks: number;
  /** One that has shown nothing in so many does not come back by itself, and is ended. */
  readonly stuckLooks: number;
}

/** Blocked within 2.75 s, ended within 31 s. */
const usualBounds: WatchBounds = { lookEveryMs: 500, blockedLooks: 4, stuckLooks: 60 };

interface ThreadWatchDeps {
  readonly thread: number;
  readonly logger: Logger;
  /** Ends the thread, which is stuck. */
  readonly end: () => void;
  readonly bounds?: WatchBounds | undefined;
}

/** In the thread, for as long as it runs. */
export const startBeating = (beats: Int32Array): void =>
  void setInterval(() => Atomics.add(beats, 0, 1), beatEveryMs).unref();

/**
 * Whether the event loop of a thread turns, as seen from the main thread. By memory that both share, and not by questions: answers would wait where this thread
 * is the one that is late. Looks without a beat are counted, and not the time, so that a process that stood still as a whole finds nobody blocked.
 */
export class ThreadWatch {
  readonly beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  private readonly deps: ThreadWatchDeps;
  private readonly bounds: WatchBounds;
  private seen = 0;
  private missed = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(deps: ThreadWatchDeps) {
    this.deps = deps;
    this.bounds = deps.bounds ?? usualBounds;
  }

  /** For how long, as far as is known; 0 where it is not blocked. */
  get blockedSeconds(): number {
    const { lookEveryMs, blockedLooks } = this.bounds;
    return this.missed < blockedLooks ? 0 : (this.missed * lookEveryMs) / 1_000;
  }

  start(): void {
    this.timer = setInterval(() => this.look(), this.bounds.lookEveryMs).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const { thread, logger, end } = this.deps;
    const beats = Atomics.load(this.beats, 0);
    if (beats !== this.seen) {
      const seconds = this.blockedSeconds;
      if (seconds > 0) logger.warn('A thread of the gateway is no longer blocked', { thread, seconds });
      this.seen = beats;
      this.missed = 0;
      return;
    }
    this.missed += 1;
    const seconds = this.blockedSeconds;
    if (this.missed === this.bounds.blockedLooks)
      logger.error('A thread of the gateway is blocked', { thread, seconds });
    if (this.missed !== this.bounds.stuckLooks) return;
    logger.error('A thread of the gateway is stuck, and is ended', { thread, seconds });
    end();
  }
}
