import { setTimeout as pause } from 'node:timers/promises';
import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { EventLog, LogPosition } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ViewRebuild } from '@roomwire/shared/ports/viewStore';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { feedProgress } from '../feed.js';
import { changesOrNone } from '../followLog.js';

export interface RebuildDeps {
  readonly log: EventLog;
  readonly views: ViewStore;
  readonly logger: Logger;
  /** Told of every batch: events so far, and the position of the last one. */
  readonly onProgress?: (events: number, position: LogPosition) => void;
  /** Ends the building; rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** An engine may be away for so long at a stretch; a minute unless told. */
  readonly patienceMs?: number;
}

export interface RebuildReport {
  readonly events: number;
  /** Where the new read models took the place of the old ones. */
  readonly position: LogPosition;
}

/** There is nothing that could be built anew beside it. */
export class NothingToRebuild extends Error {
  override readonly name = 'NothingToRebuild';
}

const defaultPatienceMs = 60_000;
const betweenTriesMs = 250;

/**
 * Builds the read models anew from the log, beside the live ones, which are read and written meanwhile, and puts the new ones
 * in their place. In memory there is never more than a batch of the log. Ended at any point before that, it leaves the live ones alone.
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
  const [checkpoint, head] = [await views.checkpoint(), await log.head()];
  if (checkpoint === undefined)
    throw new NothingToRebuild('There are no read models of this version: start Roomwire, which makes them');
  if (head === undefined || checkpoint > head)
    throw new NothingToRebuild('The read models are of another log: start Roomwire, which makes them anew');
};

class Building {
  readonly #deps: RebuildDeps;
  readonly #rebuild: ViewRebuild;
  #events = 0;
  #position: LogPosition | undefined;
  #lastWell = performance.now();

  constructor(deps: RebuildDeps, rebuild: ViewRebuild) {
    this.#deps = deps;
    this.#rebuild = rebuild;
  }

  async finish(): Promise<RebuildReport> {
    for (;;) {
      const isLive = await this.#step().catch((error: unknown) => this.#withPatience(error));
      if (isLive) return { events: this.#events, position: this.#position ?? '' };
    }
  }

  /** Up to where the live ones are, which may be further by then. */
  async #step(): Promise<boolean> {
    const { views } = this.#deps;
    const target = await views.checkpoint();
    if (target === undefined) throw new NothingToRebuild('The read models have been cleared');
    await this.#catchUp(target);
    // Not of the log, and what it says was true some time ago remains true.
    const feed = await views.get('feedProgress', domainEventFeed.name);
    const isLive = await this.#rebuild.takeOver(feedProgress(feed?.position));
    this.#lastWell = performance.now();
    return isLive;
  }

  async #catchUp(target: LogPosition): Promise<void> {
    if (this.#position !== undefined && this.#position >= target) return;
    for await (const batch of this.#deps.log.readAll(this.#position)) {
      const events = batch.filter(({ position }) => position <= target);
      const last = events.at(-1);
      if (last === undefined) return;
      this.#deps.signal?.throwIfAborted();
      const changes = events.flatMap((event) => changesOrNone(event, this.#deps.logger));
      await this.#rebuild.apply({ changes, position: last.position });
      this.#events += events.length;
      this.#position = last.position;
      this.#lastWell = performance.now();
      this.#deps.onProgress?.(this.#events, last.position);
      if (last.position === target) return;
    }
  }

  /** What is built already need not be built again because a server was away for a moment. */
  async #withPatience(error: unknown): Promise<false> {
    const { patienceMs = defaultPatienceMs, logger, signal } = this.#deps;
    if (!(error instanceof EngineUnavailable) || performance.now() - this.#lastWell > patienceMs) throw error;
    logger.warn('The rebuild waits for an engine', { error });
    await pause(betweenTriesMs, undefined, signal ? { signal } : {});
    return false;
  }
}
