import type { ThreadLink } from '@roomwire/shared/adapters/threads/threadLink';
import type { LogFields } from '@roomwire/shared/ports/logger';
import { LimitReports, type LimitReportsDeps } from '@roomwire/shared/runtime/limitReports';
import type { LimitName } from '@roomwire/shared/wire/limits/limitTable';

/** A flood reaches limits many times a second. */
const togetherMs = 500;

/** Tells the other thread, whose counts and log lines are those of the process. */
export class ThreadLimits extends LimitReports {
  private readonly link: ThreadLink;
  private readonly untold = new Map<LimitName, { times: number; readonly fields: LogFields }>();

  constructor(link: ThreadLink, deps: LimitReportsDeps) {
    super(deps);
    this.link = link;
  }

  override reached(limit: LimitName, fields: LogFields = {}, times = 1): void {
    const untold = this.untold.get(limit);
    if (untold !== undefined) untold.times += times;
    else this.untold.set(limit, { times, fields });
    if (this.untold.size === 1 && untold === undefined) setTimeout(() => this.tell(), togetherMs).unref();
  }

  /** What has not been told yet. */
  tell(): void {
    for (const [limit, { times, fields }] of this.untold)
      this.link.tell('limits', 'reached', limit, fields, times);
    this.untold.clear();
  }
}

export const serveLimits = (link: ThreadLink, limits: LimitReports): void =>
  link.serve('limits', {
    reached: (limit: LimitName, fields: LogFields, times: number) => limits.reached(limit, fields, times),
  });
