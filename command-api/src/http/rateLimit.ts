import type { Clock } from '@roomwire/shared/ports/clock';
import { TokenBuckets, type RateLimit } from '../policy/tokenBuckets.js';
import { applicationError } from './errors.js';

export const tooManyRequestsMessage = 'Too many requests, please slow down';

/** Lets a caller's request through, or throws the `ErrorAnswer` that says when the next one may come. */
export type LimitRate = (principal: string, at: { id: string; now: string }) => void;

/** Each API key and each session subject has a bucket of its own, in this process. `perSecond` 0 lets everything through. */
export const createRateLimiter = (limit: RateLimit, clock: Clock): LimitRate => {
  if (limit.perSecond === 0) return () => undefined;
  const buckets = new TokenBuckets(limit);
  return (principal, at) => {
    const exhausted = buckets.take(principal, clock.monotonic());
    if (exhausted === undefined) return;
    const seconds = Math.max(1, Math.ceil(exhausted.retryAfterMs / 1_000));
    throw applicationError(429, tooManyRequestsMessage, at, { 'Retry-After': `${seconds}` });
  };
};
