import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { limitTable } from '../../wire/limits/limitTable.js';
import { systemClock } from '../system/systemClock.js';
import type { ClaimRules } from './decideClaim.js';

export interface PublishIdOptions extends Partial<ClaimRules> {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Interval at which expired ids are removed; at most a minute. */
  readonly expiryEveryMs?: number;
}

export interface PublishIdSettings extends ClaimRules {
  readonly clock: Clock;
  readonly logger: Logger | undefined;
  readonly expiryEveryMs: number;
}

export const publishIdSettings = (options: PublishIdOptions): PublishIdSettings => ({
  windowMs: options.windowMs ?? limitTable.deduplicationMs.value,
  // The claim may take 5 s, the send to the bus 10 s, and settling it 5 s.
  takeOverMs: options.takeOverMs ?? 20_000,
  owner: options.owner,
  clock: options.clock ?? systemClock,
  logger: options.logger,
  expiryEveryMs: options.expiryEveryMs ?? 30_000,
});
