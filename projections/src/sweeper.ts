import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { sleep } from '@roomwire/shared/runtime/waiting';
import type { Cascade } from '@roomwire/shared/wire/views/views';
import { markOf, oldestCascade } from './cascades.js';

export interface SweeperDeps {
  readonly views: ViewStore;
  /** A cascade that has not moved for this long is swept by nobody. */
  readonly takeOverAfterMs: number;
}

const longestStepMs = 500;

/** Sweeps one cascade after the other while this instance leads. */
export class Sweeper {
  private readonly deps: SweeperDeps;
  /** Whether this instance has written a batch, and so leads for certain. */
  private isLeading = false;
  private isPending = true;
  private wake: () => void = () => undefined;

  constructor(deps: SweeperDeps) {
    this.deps = deps;
  }

  /** This instance has written a batch, with cascades or without. */
  written(hasCascade: boolean): void {
    this.isLeading = true;
    if (!hasCascade) return;
    this.isPending = true;
    this.wake();
  }

  /** Resolves soon after the signal aborts. Rejects as `ViewStore.sweep` does, and with the error of an engine. */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.wake(), { once: true });
    while (!signal.aborted) {
      if (!this.isPending) await new Promise<void>((resolve) => (this.wake = resolve));
      this.isPending = false;
      if (!signal.aborted) await this.sweepAll(signal);
    }
  }

  private async sweepAll(signal: AbortSignal): Promise<void> {
    const next = () => this.abandoned(signal);
    for (let cascade = await next(); cascade !== undefined && !signal.aborted; cascade = await next()) {
      await this.deps.views.sweep(cascade, signal);
      this.isLeading = true;
    }
  }

  /**
   * The oldest cascade. After a start another instance may still lead, which shows only while it writes: then the one that it
   * leaves alone for so long.
   */
  private async abandoned(signal: AbortSignal): Promise<Cascade | undefined> {
    const { views, takeOverAfterMs } = this.deps;
    const stepMs = Math.min(longestStepMs, takeOverAfterMs);
    let cascade = await oldestCascade(views);
    for (let stillMs = 0; cascade !== undefined && stillMs < takeOverAfterMs && !this.isLeading;) {
      await sleep(stepMs, signal);
      if (signal.aborted) return undefined;
      const found = await oldestCascade(views);
      stillMs = markOf(found) === markOf(cascade) ? stillMs + stepMs : 0;
      cascade = found;
    }
    return cascade;
  }
}
