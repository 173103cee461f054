import type { Clock } from '../ports/clock.js';
import type { LogFields, Logger } from '../ports/logger.js';

const minuteMs = 60_000;

/** Counts what may happen very often, so that it is told at most once a minute. */
export class OnceAMinute {
  private readonly clock: Pick<Clock, 'monotonic'>;
  private untold = 0;
  private toldAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.clock = clock;
  }

  /** How often it has happened since it was last told, if it is to be told now. */
  add(times = 1): number | undefined {
    this.untold += times;
    const now = this.clock.monotonic();
    if (now - this.toldAt < minuteMs) return undefined;
    const { untold } = this;
    this.untold = 0;
    this.toldAt = now;
    return untold;
  }
}

export interface CalmLoggerDeps {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: Logger;
}

/**
 * For what clients can bring about as often as they like: writes a warning once a minute at most, with the fields of the first and,
 * where there were more since the last line, how many `times`. Warnings are told apart by their message.
 */
export const calmLogger = ({ clock, logger }: CalmLoggerDeps): Logger => {
  const byMessage = new Map<string, OnceAMinute>();
  const timesOf = (message: string): number | undefined => {
    const known = byMessage.get(message) ?? new OnceAMinute(clock);
    byMessage.set(message, known);
    return known.add();
  };
  return {
    debug: (message, fields) => logger.debug(message, fields),
    info: (message, fields) => logger.info(message, fields),
    error: (message, fields) => logger.error(message, fields),
    warn(message: string, fields?: LogFields) {
      const times = timesOf(message);
      if (times !== undefined) logger.warn(message, times === 1 ? fields : { ...fields, times });
    },
  };
};
