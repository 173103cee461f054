import { retryWaitsMs } from '@roomwire/shared/wire/bus/webhookCalls';

/** What became of one attempt to call a webhook. */
export type AttemptOutcome =
  | { readonly kind: 'answered'; readonly status: number }
  /** No answer: refused, reset, or not within the time of an attempt. */
  | { readonly kind: 'unreachable' }
  /** Not called: where it leads is out of bounds. */
  | { readonly kind: 'forbidden' };

export type NextStep =
  | { readonly to: 'done' }
  | { readonly to: 'retry'; readonly afterMs: number }
  /** `pending`: it could succeed later. `failed`: the endpoint refused it, or it must not be called. */
  | { readonly to: 'deadLetter'; readonly status: 'pending' | 'failed' };

/** [HOOK-RETRY-1] Where a call goes after its `attempt`-th attempt, counted from 1. A redirect is a refusal: it is not followed. */
export const nextStep = (outcome: AttemptOutcome, attempt: number): NextStep => {
  if (outcome.kind === 'forbidden') return { to: 'deadLetter', status: 'failed' };
  if (outcome.kind === 'answered' && outcome.status < 300) return { to: 'done' };
  if (outcome.kind === 'answered' && outcome.status < 500) return { to: 'deadLetter', status: 'failed' };
  const afterMs = retryWaitsMs[attempt - 1];
  return afterMs === undefined ? { to: 'deadLetter', status: 'pending' } : { to: 'retry', afterMs };
};
