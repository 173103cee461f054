import { setTimeout as pause } from 'node:timers/promises';
import type { LogPosition } from '../../../ports/eventLog.js';
import type { Intake } from './intake.js';
import type { LogEnd } from './logEnd.js';

export interface StallWatch {
  stop(): void;
}

/** Events that are in the log do not come. */
export class Stalled extends Error {
  override readonly name = 'Stalled';

  constructor(handled: LogPosition | undefined, head: LogPosition) {
    super(`Nothing comes after ${handled ?? 'the beginning'}, but the log ends at ${head}`);
  }
}

export interface StallWatchDeps {
  readonly lookForEnd: () => Promise<LogEnd>;
  /** How often a subscription that has nothing to do is compared with the end of the log. */
  readonly stallCheckMs: number;
  /** An event that has just been appended may be on its way for so long; 1 s unless told. */
  readonly stallGraceMs?: number;
}

/** Makes an intake fail that has nothing to give although the log has. */
export const watchForStall = (
  { lookForEnd, stallCheckMs, stallGraceMs = 1_000 }: StallWatchDeps,
  intake: Pick<Intake<unknown>, 'isIdle' | 'fail'>,
  progress: { readonly handled: LogPosition | undefined },
): StallWatch => {
  let looking = false;
  let stopped = false;

  const look = async (): Promise<void> => {
    const { handled } = progress;
    const hasNothing = (): boolean => intake.isIdle && progress.handled === handled && !stopped;
    if (!hasNothing()) return;
    const { head } = await lookForEnd();
    if (head === undefined || (handled !== undefined && head <= handled)) return;
    await pause(stallGraceMs);
    if (hasNothing()) intake.fail(new Stalled(handled, head));
  };

  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    // A server that cannot be asked has not stalled; the connection will tell.
    void look()
      .catch(() => undefined)
      .finally(() => (looking = false));
  }, stallCheckMs);
  return {
    stop: () => {
      stopped = true;
      clearInterval(timer);
    },
  };
};
