import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '@roomwire/shared/ports/clock';
import { EngineUnavailable, JobRequeued } from '@roomwire/shared/ports/errors';
import { TokenBucket } from '@roomwire/shared/runtime/tokenBucket';
import { sleep } from '@roomwire/shared/runtime/waiting';

/** A call of more bytes is read and written for as long as several small ones. */
const bytesOfTurn = 4 * 1024;

/** Admits a number of turns a second, evenly spaced; the others wait in order. A large call takes several turns. */
export class Pacer {
  private readonly turns: TokenBucket;
  private readonly clock: Clock;
  private readonly closing = new AbortController();

  constructor(perSecond: number, clock: Clock) {
    this.turns = new TokenBucket({ perSecond, burst: 1 });
    this.clock = clock;
    // All calls that wait for their turns listen.
    setMaxListeners(0, this.closing.signal);
  }

  /** Rejects with `JobRequeued` once it is closed: behind large calls the next turn may be minutes away. */
  async pass(bytes: number): Promise<void> {
    const { signal } = this.closing;
    const turns = 1 + Math.floor(bytes / bytesOfTurn);
    const waitMs = this.turns.reserve(this.clock.monotonic(), turns);
    if (waitMs > 0) await sleep(waitMs, signal);
    if (signal.aborted) throw new JobRequeued();
  }

  close(): void {
    this.closing.abort();
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
