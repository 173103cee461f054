import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '@roomwire/shared/ports/clock';
import { EngineUnavailable, JobRequeued } from '@roomwire/shared/ports/errors';
import { TokenBucket } from '@roomwire/shared/runtime/tokenBucket';

/** A call of more bytes is read and written for as long as several small ones. */
const bytesOfTurn = 4 * 1024;

/** Admits a number of turns a second, evenly spaced; the others wait in order. A large call takes several turns. */
export class Pacer {
  private readonly turns: TokenBucket;
  private readonly clock: Clock;
  /** Ends the wait of each call that waits for its turns. Thousands may: on a signal, each of them would look through all others. */
  private readonly waiting = new Set<() => void>();
  private isClosed = false;

  constructor(perSecond: number, clock: Clock) {
    this.turns = new TokenBucket({ perSecond, burst: 1 });
    this.clock = clock;
  }

  /** Rejects with `JobRequeued` once it is closed: behind large calls the next turn may be minutes away. */
  async pass(bytes: number): Promise<void> {
    const turns = 1 + Math.floor(bytes / bytesOfTurn);
    const waitMs = this.turns.reserve(this.clock.monotonic(), turns);
    if (waitMs > 0 && !this.isClosed) await this.wait(waitMs);
    if (this.isClosed) throw new JobRequeued();
  }

  close(): void {
    this.isClosed = true;
    for (const end of this.waiting) end();
  }

  private wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.waiting.add(end);
    });
  }
}

const pauseMs = 500;

/**
 * Retries while the bus is unavailable: giving up would repeat the call itself. Rejects once this process is shutting down, and
 * another process handles the job.
 */
export const retryWhileBusDown = async (
  put: () => Promise<void>,
  isClosing: () => boolean,
): Promise<void> => {
  for (;;) {
    try {
      return await put();
    } catch (error) {
      if (!(error instanceof EngineUnavailable) || isClosing()) throw error;
      await pause(pauseMs);
    }
  }
};
