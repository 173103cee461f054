import type { Clock } from '@roomwire/shared/ports/clock';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';

export interface EntryCountsDeps {
  readonly views: Pick<ViewReader, 'count'>;
  readonly clock: Clock;
  readonly limits: Pick<LimitReports, 'reached'>;
}

interface Count {
  entries: Promise<number>;
  added: number;
  readonly at: number;
}

const recountAfterMs = 10_000;
const mostProjects = limitTable.deadLetterCounts.value;

/** Estimates how many dead letters each project has, for a limit: they are counted now and then, and additions are added in between. */
export class EntryCounts {
  private readonly deps: EntryCountsDeps;
  private readonly counts = new Map<string, Count>();

  constructor(deps: EntryCountsDeps) {
    this.deps = deps;
  }

  async of(projectId: string): Promise<number> {
    const count = this.fresh(projectId);
    return (await count.entries) + count.added;
  }

  added(projectId: string): void {
    this.fresh(projectId).added += 1;
  }

  private fresh(projectId: string): Count {
    const now = this.deps.clock.monotonic();
    const known = this.counts.get(projectId);
    if (known !== undefined && now - known.at < recountAfterMs) return known;
    if (this.counts.size >= mostProjects) {
      this.counts.clear();
      this.deps.limits.reached('deadLetterCounts');
    }
    const entries = this.deps.views.count('deadLetters', { projectId });
    const count: Count = { entries, added: 0, at: now };
    this.counts.set(projectId, count);
    // The next call counts again.
    entries.catch(() => this.counts.get(projectId) === count && this.counts.delete(projectId));
    return count;
  }
}
