import type { Clock } from '@roomwire/shared/ports/clock';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { TokenBuckets } from '../http/rateLimit.js';

export interface MessageRateDeps {
  readonly clock: Clock;
  readonly limits: Pick<LimitReports, 'reached'>;
}

/** How many of so many messages the key may publish now, and how long until it may publish another, in milliseconds. */
export type TakeMessages = (
  principal: string,
  count: number,
) => { readonly taken: number; readonly waitMs: number };

/** Each API key may publish so many messages a second, and as many at once, in this process; 0 is no limit. */
export const createMessageRate = (perSecond: number, { clock, limits }: MessageRateDeps): TakeMessages => {
  if (perSecond === 0) return (_principal, count) => ({ taken: count, waitMs: 0 });
  const buckets = new TokenBuckets({ perSecond, burst: perSecond });
  return (principal, count) => {
    const now = clock.monotonic();
    for (let taken = 0; taken < count; taken++) {
      const waitMs = buckets.take(principal, now);
      if (waitMs === 0) continue;
      limits.reached('httpPublishRate', { principal }, count - taken);
      return { taken, waitMs };
    }
    return { taken: count, waitMs: 0 };
  };
};
