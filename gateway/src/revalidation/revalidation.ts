import type { Clock } from '@roomwire/shared/ports/clock';
import type { ViewExtent, ViewReader } from '@roomwire/shared/ports/viewStore';
import { shardCount, shardOf } from '@roomwire/shared/domain/shards';
import { quietSpanMs } from '@roomwire/shared/wire/bus/feedSpans';
import { viewsVersion } from '@roomwire/shared/wire/views/views';
import type { GatewayMetrics } from '../metrics.js';
import type { Rechecks } from '../session/rechecks.js';
import type { Roster } from '../session/roster.js';
import { FeedCoverage } from './feedCoverage.js';

export interface RevalidationDeps {
  readonly views: Pick<ViewReader, 'extent'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly rechecks: Pick<Rechecks, 'everythingOf'>;
  readonly roster: Pick<Roster, 'countOfActors'>;
  readonly metrics: Pick<GatewayMetrics, 'revalidated'>;
  /** In which everything has its turn once. */
  readonly periodMs: number;
}

/** A turn is shorter only where the period is. */
const shortestTurnMs = 9_000;

/** A projector that is at work says so three times in it. */
const longestProofMs = 3 * quietSpanMs;

/** Into how many parts actors and projects are divided, each of which has its turn: a power of two, up to the number of shards. */
const partsIn = (periodMs: number): number => {
  let parts = 1;
  while (parts < shardCount && periodMs / (parts * 2) >= shortestTurnMs) parts *= 2;
  return parts;
};

/**
 * The safety net for missed events: each actor and project is revalidated once in a period, a part of them in each turn. Nothing is
 * read again for those who have missed nothing: where every event between the read models of the last turn and those of now has been acted
 * on, they would say what is known. `gateway/src/session/domainChanges.ts` acts on each; what time alone changes is looked after by
 * `Session.endExpired`.
 */
export class Revalidation {
  readonly coverage: FeedCoverage;
  readonly turnMs: number;
  private readonly deps: RevalidationDeps;
  /** Of each part, what is known to hold of all connections: that of the last turn. */
  private readonly known: (ViewExtent | undefined)[];
  private edition: string | undefined;
  private next = 0;
  private due = 0;
  private running: Promise<void> | undefined;

  constructor(deps: RevalidationDeps) {
    this.deps = deps;
    this.coverage = new FeedCoverage(deps.clock, viewsVersion);
    const parts = partsIn(deps.periodMs);
    this.turnMs = deps.periodMs / parts;
    this.known = new Array<ViewExtent | undefined>(parts).fill(undefined);
  }

  /** To be called when the feed is being read, and nothing of the read models has been used. */
  async start(): Promise<void> {
    const extent = await this.extent();
    this.edition = extent?.edition;
    this.known.fill(extent);
  }

  /** Every `turnMs`. Turns that come while one is being taken are taken behind it. */
  turn(): Promise<void> {
    this.due = Math.min(this.due + 1, this.known.length);
    return (this.running ??= this.takeTurns().finally(() => (this.running = undefined)));
  }

  private async takeTurns(): Promise<void> {
    for (; this.due > 0; this.due -= 1) {
      const part = this.next;
      this.next = (part + 1) % this.known.length;
      await this.revalidate(part);
    }
  }

  private async revalidate(part: number): Promise<void> {
    const { metrics, roster, rechecks } = this.deps;
    const isOfPart = (shard: number): boolean => shard % this.known.length === part;
    // Before anything is read: later changes are the business of the next turn.
    const extent = await this.extent();
    if (extent !== undefined && (await this.isProven(this.known[part], extent))) {
      metrics.revalidated.proof += roster.countOfActors(isOfPart);
      this.known[part] = extent;
      return;
    }
    const { actors, isWhole } = await rechecks.everythingOf((id) => isOfPart(shardOf(id)));
    metrics.revalidated.reading += actors;
    if (isWhole) this.known[part] = extent;
  }

  private async isProven(known: ViewExtent | undefined, extent: ViewExtent): Promise<boolean> {
    if (extent.edition !== this.edition) this.coverage.restart();
    this.edition = extent.edition;
    if (known?.edition !== extent.edition) return false;
    // Longer, and the next turn would be late.
    const withinMs = Math.min(longestProofMs, this.turnMs / 2);
    return this.coverage.proves(known.position, extent.position, withinMs);
  }

  /** Undefined as well while it cannot be known. */
  private extent(): Promise<ViewExtent | undefined> {
    return this.deps.views.extent().catch(() => undefined);
  }
}
