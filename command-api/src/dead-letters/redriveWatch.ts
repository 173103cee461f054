import { UnknownEvent } from '@roomwire/shared/domain/events';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import type { Clock } from '@roomwire/shared/ports/clock';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { once } from '@roomwire/shared/runtime/service';
import type { CommandHandler } from '../handling/commandHandler.js';
import { deadLetterTarget, redriveOutcome, type RedriveOutcome } from './decider.js';

export interface RedriveWatchDeps {
  readonly clock: Clock;
  readonly limits: Pick<LimitReports, 'reached'>;
  readonly options?: Partial<RedriveWatchOptions>;
}

interface RedriveWatchOptions {
  /** How long a request waits for what becomes of its redrive. */
  readonly waitMs: number;
  /** Between two looks, the first and the later ones. */
  readonly firstLookMs: number;
  readonly laterLookMs: number;
  readonly mostWaiting: number;
}

const defaultOptions: RedriveWatchOptions = {
  waitMs: 30_000,
  firstLookMs: 50,
  laterLookMs: 500,
  mostWaiting: limitTable.waitingRedrives.value,
};

const unknown: RedriveOutcome = { delivered: false, responseStatus: null, error: null };

/** The redrive was accepted: an error would have the client request another. What a newer version has written is not waited for. */
const withoutTheEntry = (error: unknown): RedriveOutcome | undefined => {
  if (error instanceof UnknownEvent) return unknown;
  if (!(error instanceof EngineUnavailable)) throw error;
  return undefined;
};

/** [HOOK-REDRIVE-2] What becomes of redrives, for the requests that wait for it. It is in the stream of the entry, which is looked at now and then. */
export class RedriveWatch {
  private readonly deps: RedriveWatchDeps;
  private readonly options: RedriveWatchOptions;
  private readonly sleepers = new Set<() => void>();
  private waiting = 0;
  private isOpen = true;

  constructor(deps: RedriveWatchDeps) {
    this.deps = deps;
    this.options = { ...defaultOptions, ...deps.options };
  }

  /** Where that takes too long, the log cannot be read, or too many wait already: not delivered, and nothing else is known. */
  async outcomeOf(
    commands: Pick<CommandHandler, 'inspect'>,
    dlqId: string,
    redriveId: string,
  ): Promise<RedriveOutcome> {
    if (this.waiting >= this.options.mostWaiting) {
      this.deps.limits.reached('waitingRedrives');
      return unknown;
    }
    this.waiting += 1;
    try {
      return await this.look(commands, dlqId, redriveId);
    } finally {
      this.waiting -= 1;
    }
  }

  /** Requests that wait are answered. */
  readonly close = once(async () => {
    this.isOpen = false;
    for (const wake of this.sleepers) wake();
  });

  private async look(
    commands: Pick<CommandHandler, 'inspect'>,
    dlqId: string,
    redriveId: string,
  ): Promise<RedriveOutcome> {
    const { waitMs, firstLookMs, laterLookMs } = this.options;
    const until = this.deps.clock.monotonic() + waitMs;
    let pauseMs = firstLookMs;
    for (;;) {
      const leftMs = until - this.deps.clock.monotonic();
      if (this.isOpen && leftMs > 0) await this.sleep(Math.min(pauseMs, leftMs));
      const outcome = await commands
        .inspect(deadLetterTarget(dlqId), (state) => redriveOutcome(state, redriveId))
        .catch(withoutTheEntry);
      if (outcome !== undefined) return outcome;
      if (!this.isOpen || leftMs <= 0) return unknown;
      pauseMs = Math.min(2 * pauseMs, laterLookMs);
    }
  }

  private sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.sleepers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, milliseconds);
      this.sleepers.add(wake);
    });
  }
}
