import { retryWaitsMs } from '@roomwire/shared/wire/bus/webhookCalls';

/** The result of one attempt to call a webhook. */
export type AttemptOutcome =
  | { readonly kind: 'answered'; readonly status: number }
  /** No answer: refused, reset, or not within the time of an attempt. */
  | { readonly kind: 'unreachable' }
  /** Not called: its address is forbidden. */
  | { readonly kind: 'forbidden' };

export type NextStep =
  | { readonly to: 'done' }
  | { readonly to: 'retry'; readonly afterMs: number }
  /** `pending`: it could succeed later. `failed`: the endpoint refused it, or it must not be called. */
  | { readonly to: 'deadLetter'; readonly status: 'pending' | 'failed' };

/** [HOOK-RETRY-1] to [HOOK-RETRY-4]: what follows the `attempt`-th attempt of a call, counted from 1. A redirect is final: it is not followed. */
export const nextStep = (outcome: AttemptOutcome, attempt: number): NextStep => {
  if (outcome.kind === 'forbidden') return { to: 'deadLetter', status: 'failed' };
  if (outcome.kind === 'answered' && outcome.status < 300) return { to: 'done' };
  if (outcome.kind === 'answered' && outcome.status < 500) return { to: 'deadLetter', status: 'failed' };
  const afterMs = retryWaitsMs[attempt - 1];
  return afterMs === undefined ? { to: 'deadLetter', status: 'pending' } : { to: 'retry', afterMs };
};
