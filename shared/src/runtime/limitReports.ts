import type { Clock } from '../ports/clock.js';
import type { LogFields, Logger } from '../ports/logger.js';
import type { CollectMetrics } from '../ports/metrics.js';
import { limitTable, type LimitName } from '../wire/limits/limitTable.js';
import { OnceAMinute } from './onceAMinute.js';

export interface LimitReportsDeps {
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Reached {
  times: number;
  readonly lines: OnceAMinute;
}

/** Counts how often limits were reached where no frame or close does, and logs it at most once a minute and limit. */
export class LimitReports {
  private readonly byLimit = new Map<LimitName, Reached>();
  private readonly deps: LimitReportsDeps;

  constructor(deps: LimitReportsDeps) {
    this.deps = deps;
  }

  /** `fields` say whose it was, by ids; of several within a minute the log has those of the first. */
  reached(limit: LimitName, fields: LogFields = {}, times = 1): void {
    const { clock, logger } = this.deps;
    const reached = this.byLimit.get(limit) ?? { times: 0, lines: new OnceAMinute(clock) };
    this.byLimit.set(limit, reached);
    reached.times += times;
    const untold = reached.lines.add(times);
    if (untold !== undefined) logger.warn('Limit reached', { limit, times: untold, ...fields });
  }

  /** Includes limits that were never reached, so that the first time shows as a rise. */
  readonly collect: CollectMetrics = (sink) => {
    for (const limit of counted)
      sink.value('roomwire_limit_reached_total', this.byLimit.get(limit)?.times ?? 0, { limit });
  };
}

const counted = (Object.keys(limitTable) as LimitName[]).filter(
  (limit) => limitTable[limit].metric === 'roomwire_limit_reached_total',
);
