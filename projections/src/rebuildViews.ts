import { setTimeout as pause } from 'node:timers/promises';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import { Outage } from '@roomwire/shared/runtime/outage';
import { provenanceOf } from '@roomwire/shared/runtime/provenance';
import type { ViewRebuild, ViewStore } from '@roomwire/shared/ports/viewStore';
import { feedMark, feedProgress } from './feed.js';
import { changesOrNone } from './followLog.js';

export interface RebuildDeps {
  readonly log: EventLog;
  readonly views: ViewStore;
  readonly logger: Logger;
  /** Called after every batch with the events so far and the position of the last one. */
  readonly onProgress?: (events: number, position: LogPosition) => void;
  /** Ends the rebuild, which rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** How long an engine may be unavailable without a break; by default a minute. */
  readonly patienceMs?: number;
}

export interface RebuildReport {
  readonly events: number;
  /** Where the new read models replaced the old ones. */
  readonly position: LogPosition;
}

/** There are no live read models to rebuild beside. */
export class NothingToRebuild extends Error {
  override readonly name = 'NothingToRebuild';
}

const defaultPatienceMs = 60_000;
const betweenTriesMs = 250;

/**
 * Rebuilds the read models from the log beside the live ones, which are read and written meanwhile, and then replaces them.
 * Memory holds at most one batch of the log. A rebuild that ends early leaves the live ones as they are.
 */
export const rebuildViews = async (deps: RebuildDeps): Promise<RebuildReport> => {
  await requireReadModels(deps);
  const rebuild = await deps.views.rebuild();
  try {
    return await new Building(deps, rebuild).finish();
  } catch (error) {
    await rebuild.abandon().catch(() => undefined);
    throw error;
  }
};

const requireReadModels = async ({ log, views }: RebuildDeps): Promise<void> => {
  const checkpoint = await views.checkpoint();
  if (checkpoint === undefined)
    throw new NothingToRebuild('There are no read models of this version: start Roomwire, which builds them');
  if ((await provenanceOf(log, checkpoint, await views.origin())) !== 'this log')
    throw new NothingToRebuild(
      'The read models do not fit the event log: start Roomwire, which makes them anew, or says what to do',
    );
};

class Building {
  private readonly deps: RebuildDeps;
  private readonly rebuild: ViewRebuild;
  private events = 0;
  private position: LogPosition | undefined;
  private lastProgressAt = performance.now();
  private readonly outage: Outage;

  constructor(deps: RebuildDeps, rebuild: ViewRebuild) {
    this.deps = deps;
    this.rebuild = rebuild;
    this.outage = new Outage({
      logger: deps.logger,
      lost: 'The rebuild waits for an engine',
      back: 'The rebuild goes on',
    });
  }

  async finish(): Promise<RebuildReport> {
    for (;;) {
      const isLive = await this.step().catch((error: unknown) => this.withPatience(error));
      if (isLive) return { events: this.events, position: this.position ?? '' };
    }
  }

  /** Catches up with the live ones, which may have moved on by then. */
  private async step(): Promise<boolean> {
    const { views } = this.deps;
    const target = await views.checkpoint();
    if (target === undefined) throw new NothingToRebuild('The read models have been cleared');
    await this.catchUp(target);
    // It is not derived from the log, and an older value of it stays valid.
    const isLive = await this.rebuild.takeOver(feedProgress(await feedMark(views)));
    this.progressed();
    return isLive;
  }

  private progressed(): void {
    this.lastProgressAt = performance.now();
    this.outage.over();
  }

  private async catchUp(target: LogPosition): Promise<void> {
    if (this.position !== undefined && this.position >= target) return;
    for await (const batch of this.deps.log.readAll(this.position)) {
      const events = batch.filter(({ position }) => position <= target);
      const last = events.at(-1);
      if (last === undefined) return;
      this.deps.signal?.throwIfAborted();
      const changes = events.flatMap((event) => changesOrNone(event, this.deps.logger));
      await this.rebuild.apply({ changes, position: last.position });
      this.events += events.length;
      this.position = last.position;
      this.progressed();
      this.deps.onProgress?.(this.events, last.position);
      if (last.position === target) return;
    }
  }

  /** Retries while an engine is unavailable, so that what has been built is not lost. */
  private async withPatience(error: unknown): Promise<false> {
    const { patienceMs = defaultPatienceMs, signal } = this.deps;
    if (!(error instanceof EngineUnavailable) || performance.now() - this.lastProgressAt > patienceMs)
      throw error;
    this.outage.failed(error);
    await pause(betweenTriesMs, undefined, signal ? { signal } : {});
    return false;
  }
}
