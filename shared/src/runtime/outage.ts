import type { Clock } from '../ports/clock.js';
import { EngineUnavailable } from '../ports/errors.js';
import type { Logger } from '../ports/logger.js';
import { OnceAMinute } from './onceAMinute.js';

/** Told of every failure and of every success. */
export interface OutageReport {
  failed(error: unknown): void;
  over(): void;
}

export interface OutageDeps {
  readonly logger: Logger;
  /** The line for its beginning. */
  readonly lost: string;
  /** The line for its end. */
  readonly back: string;
  /** What an operator can do about an error. */
  readonly remedyFor?: ((error: unknown) => string | undefined) | undefined;
  readonly clock?: Pick<Clock, 'monotonic'>;
}

/**
 * What is tried again and again: one line when it begins to fail, one a minute at most while it fails, and one when it is over. An engine of which
 * a part still answers fails and succeeds in turn; it is not told more often either.
 */
export class Outage implements OutageReport {
  private readonly deps: OutageDeps;
  private readonly clock: Pick<Clock, 'monotonic'>;
  private readonly failures: OnceAMinute;
  private since: number | undefined;
  private isTold = false;

  constructor(deps: OutageDeps) {
    this.deps = deps;
    this.clock = deps.clock ?? { monotonic: () => performance.now() };
    this.failures = new OnceAMinute(this.clock);
  }

  failed(error: unknown): void {
    this.since ??= this.clock.monotonic();
    const times = this.failures.add();
    if (times === undefined) return;
    this.isTold = true;
    const { logger, lost, remedyFor } = this.deps;
    const remedy = remedyFor?.(error);
    logger.warn(lost, {
      ...whyOf(error),
      ...(remedy !== undefined && { remedy }),
      ...(times > 1 && { times }),
    });
  }

  over(): void {
    if (this.since === undefined) return;
    const lastedMs = Math.round(this.clock.monotonic() - this.since);
    if (this.isTold) this.deps.logger.info(this.deps.back, { lastedMs });
    this.since = undefined;
    this.isTold = false;
  }
}

/** Of an error that is no outage, the stack is needed. */
const whyOf = (error: unknown): { readonly reason: string } | { readonly error: unknown } =>
  error instanceof EngineUnavailable ? { reason: reasonOf(error) } : { error };

/** The message of the innermost cause: those around it only say that it failed. */
export const reasonOf = (error: unknown): string => causesOf(error).map(messageOf).findLast(Boolean) ?? '';

/** An error, its cause, the cause of that, and so on. */
export const causesOf = (error: unknown): readonly unknown[] => {
  const causes: unknown[] = [];
  for (let each = error; each !== undefined && !causes.includes(each); each = causeOf(each))
    causes.push(each);
  return causes;
};

/** Node tells of several addresses that were tried by an error without a message. */
const causeOf = (error: unknown): unknown =>
  error instanceof AggregateError ? error.errors[0] : error instanceof Error ? error.cause : undefined;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
