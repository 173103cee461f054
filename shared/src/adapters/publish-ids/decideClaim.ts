import type { ClaimedMessage, ClaimOutcome, PublishClaim, SentClaim } from '../../ports/publishIds.js';

/** What a store keeps under a key. */
export interface KeptClaim extends ClaimedMessage {
  readonly digest: string;
  /** The message id of the claim that was decided last: where one was taken over, not the id that it stands for. */
  readonly claimant: string;
  /** When that was, Unix milliseconds. */
  readonly claimedAt: number;
  /** Whether an earlier publish may have been sent under this message id. */
  readonly isRepeated: boolean;
  readonly state: 'underway' | 'givenUp' | 'sent';
  /** Of one that was sent: when it is to be delivered, if that is later; Unix milliseconds. */
  readonly deliverAt?: number;
  /** The end of the window, Unix milliseconds. */
  readonly expiresAt: number;
  /** Of the claim that was decided last. */
  readonly owner: string | undefined;
}

export interface ClaimRules {
  /** How long an id stands for a message, from its acceptance. */
  readonly windowMs: number;
  /** Whoever has not settled a claim after this time has been killed. */
  readonly takeOverMs: number;
  /**
   * The one process that has the data for itself: claims of others were left by processes that have ended. Undefined where
   * several processes claim.
   */
  readonly owner: string | undefined;
}

export interface Decision {
  readonly outcome: ClaimOutcome;
  /** What is to be kept from now on; absent where nothing changes. */
  readonly keep?: KeptClaim;
}

/** `now` in Unix milliseconds. */
export const decideClaim = (
  claim: PublishClaim,
  kept: KeptClaim | undefined,
  now: number,
  rules: ClaimRules,
): Decision => {
  if (kept === undefined || kept.expiresAt <= now) return claimedAnew(claim, now, rules);
  // Its answer was lost on the way.
  if (kept.state === 'underway' && kept.claimant === claim.messageId) return { outcome: outcomeOf(kept) };
  if (kept.digest !== claim.digest)
    return kept.state === 'givenUp' ? claimedAnew(claim, now, rules) : { outcome: { kind: 'conflict' } };
  if (kept.state === 'sent') {
    const { messageId, at, deliverAt } = kept;
    return { outcome: { kind: 'sent', messageId, at, ...(deliverAt !== undefined && { deliverAt }) } };
  }
  if (kept.state === 'underway' && !isAbandoned(kept, now, rules)) return { outcome: { kind: 'underway' } };
  return claimed({
    ...kept,
    ...{ claimant: claim.messageId, claimedAt: now, owner: rules.owner },
    ...{ isRepeated: true, state: 'underway' },
  });
};

/** What changes in a claim that was sent. */
export const sentNow = ({ deliverAt }: SentClaim): Pick<KeptClaim, 'state' | 'deliverAt'> => ({
  ...{ state: 'sent', ...(deliverAt !== undefined && { deliverAt }) },
});

/** A time in the future was noted before the clock was set back. */
const isAbandoned = (
  { claimedAt, owner }: KeptClaim,
  now: number,
  { takeOverMs, owner: living }: ClaimRules,
): boolean => Math.abs(now - claimedAt) >= takeOverMs || owner !== living;

/** Of an id that is free. */
export const claimedAnew = (
  { digest, messageId, at }: PublishClaim,
  now: number,
  { windowMs, owner }: ClaimRules,
): Required<Decision> =>
  claimed({
    ...{ messageId, at, digest, claimant: messageId, claimedAt: now, owner },
    ...{ isRepeated: false, state: 'underway', expiresAt: at + windowMs },
  });

const claimed = (keep: KeptClaim): Required<Decision> => ({ outcome: outcomeOf(keep), keep });

const outcomeOf = ({ messageId, at, isRepeated }: KeptClaim): ClaimOutcome => ({
  ...{ kind: 'claimed', messageId, at, isRepeated },
});
