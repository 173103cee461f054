import type { Clock } from '../ports/clock.js';
import { EngineUnavailable } from '../ports/errors.js';
import type { Logger } from '../ports/logger.js';
import type { LastUse, UsageStore } from '../ports/usageStore.js';
import { once } from './service.js';

export interface LastUsesDeps {
  readonly usage: Pick<UsageStore, 'noteUses'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Delay of a write after the first use that it includes. */
  readonly writeAfterMs?: number;
}

const oneAMinuteMs = 60_000;
/** Limit of pending uses; beyond it the oldest are dropped, to bound memory while an engine is unavailable. */
const mostKept = 50_000;

/** Collects the times at which resources are used: at most once a minute for each, written together every few seconds. */
export class LastUses {
  /** Time of the last collected use by the monotonic clock, least recent first. */
  private readonly noted = new Map<string, number>();
  private waiting = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private isOpen = true;
  private readonly deps: LastUsesDeps;

  constructor(deps: LastUsesDeps) {
    this.deps = deps;
  }

  /** The resource was used now. Costs a look-up, and never fails. */
  used(id: string): void {
    const { clock } = this.deps;
    const now = clock.monotonic();
    const before = this.noted.get(id);
    if (!this.isOpen || (before !== undefined && now - before < oneAMinuteMs)) return;
    setNewest(this.noted, id, now);
    setNewest(this.waiting, id, clock.now());
    this.schedule();
  }

  /** Writes the remaining uses. */
  readonly close = once(async () => {
    this.isOpen = false;
    clearTimeout(this.timer);
    await this.writing;
    await this.write();
  });

  private schedule(): void {
    if (!this.isOpen) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.writing = this.write();
    }, this.deps.writeAfterMs ?? 2_000).unref();
  }

  private async write(): Promise<void> {
    if (this.waiting.size === 0) return;
    const batch = this.waiting;
    this.waiting = new Map();
    try {
      await this.deps.usage.noteUses([...batch].map(lastUse));
    } catch (error) {
      for (const [id, at] of this.waiting) setNewest(batch, id, at);
      this.waiting = batch;
      this.schedule();
      // An unavailable engine is logged by its adapter.
      if (!(error instanceof EngineUnavailable))
        this.deps.logger.warn('Last uses could not be written', { error });
    }
  }
}

const lastUse = ([id, at]: readonly [string, number]): LastUse => ({ id, at: new Date(at).toISOString() });

const setNewest = (times: Map<string, number>, id: string, at: number): void => {
  times.delete(id);
  times.set(id, at);
  if (times.size <= mostKept) return;
  const [oldest] = times.keys();
  times.delete(oldest as string);
};
