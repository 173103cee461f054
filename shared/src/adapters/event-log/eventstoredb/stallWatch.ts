import { setTimeout as pause } from 'node:timers/promises';
import type { LogPosition } from '../../../ports/eventLog.js';
import type { Intake } from './intake.js';
import type { LogEnd } from './reads.js';

export interface StallWatch {
  stop(): void;
}

/** The subscription does not deliver events that are in the log. */
export class Stalled extends Error {
  override readonly name = 'Stalled';

  constructor(handled: LogPosition | undefined, head: LogPosition) {
    super(`Nothing is delivered after ${handled ?? 'the beginning'}, but the log ends at ${head}`);
  }
}

export interface StallWatchDeps {
  readonly lookForEnd: () => Promise<LogEnd>;
  /** How often an idle subscription is compared with the end of the log. */
  readonly stallCheckMs: number;
  /** How long a new event may take to arrive; by default 1 s. */
  readonly stallGraceMs?: number;
}

/** Fails an intake that stays empty although the log has more events. */
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
    // An unreachable server is no stall; the connection reports it.
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
