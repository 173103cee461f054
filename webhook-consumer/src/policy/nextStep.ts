import { retryWaitsMs } from '@roomwire/shared/wire/bus/webhookCalls';

/** The result of one attempt to call a webhook. */
export type AttemptOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** What the answer asks for by `Retry-After`. */
      readonly retryAfterMs?: number | undefined;
    }
  /** No answer: refused, reset, or not within the time of an attempt. */
  | { readonly kind: 'unreachable' }
  /** Not called: its address is forbidden. */
  | { readonly kind: 'forbidden' };

/** For how long a call is tried on, since its first attempt. */
export interface Patience {
  readonly usedMs: number;
  readonly allMs: number;
}

export interface LaterWaits {
  /** Before the fourth attempt; doubled before each further one. */
  readonly firstMs: number;
  readonly longestMs: number;
}

export type NextStep =
  | { readonly to: 'done' }
  /** `isUsual`: after the wait that every second or third attempt has. */
  | { readonly to: 'retry'; readonly afterMs: number; readonly isUsual: boolean }
  /** `pending`: it could succeed later. `failed`: the endpoint refused it, or it must not be called. */
  | { readonly to: 'deadLetter'; readonly status: 'pending' | 'failed' };

/** What has been done so far, this attempt included, and what may still be done. */
export interface Progress {
  /** Counted from 1. */
  readonly attempt: number;
  /** Undefined for a call that is not tried on. */
  readonly patience?: Patience | undefined;
}

export const usualLaterWaits: LaterWaits = { firstMs: 4_000, longestMs: 3_600_000 };

/** [HOOK-RETRY-1] to [HOOK-RETRY-6]: what follows an attempt. A redirect is final: it is not followed. */
export const nextStep = (
  outcome: AttemptOutcome,
  { attempt, patience }: Progress,
  later: LaterWaits = usualLaterWaits,
): NextStep => {
  if (outcome.kind === 'forbidden') return { to: 'deadLetter', status: 'failed' };
  if (outcome.kind === 'answered' && outcome.status < 300) return { to: 'done' };
  const askedMs = patience && askedWait(outcome);
  if (outcome.kind === 'answered' && outcome.status < 500 && askedMs === undefined)
    return { to: 'deadLetter', status: 'failed' };
  const leftMs = patience === undefined ? 0 : Math.max(0, patience.allMs - patience.usedMs);
  const firstWait = retryWaitsMs[attempt - 1];
  if (firstWait !== undefined) {
    const afterMs = Math.max(firstWait, Math.min(askedMs ?? 0, leftMs));
    return { to: 'retry', afterMs, isUsual: afterMs === firstWait };
  }
  if (leftMs === 0) return { to: 'deadLetter', status: 'pending' };
  const doubled = later.firstMs * 2 ** (attempt - retryWaitsMs.length - 1);
  const afterMs = Math.max(Math.min(doubled, later.longestMs), askedMs ?? 0);
  // [HOOK-RETRY-5] The last attempt is made at the end.
  return { to: 'retry', afterMs: Math.min(afterMs, leftMs), isUsual: false };
};

const askedWait = (outcome: AttemptOutcome): number | undefined =>
  outcome.kind === 'answered' && [429, 503].includes(outcome.status) ? outcome.retryAfterMs : undefined;
