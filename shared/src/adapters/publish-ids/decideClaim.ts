import type { ClaimedMessage, ClaimOutcome, PublishClaim } from '../../ports/publishIds.js';

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
  /** The end of the window, Unix milliseconds. */
  readonly expiresAt: number;
}

export interface ClaimTimes {
  /** How long an id stands for a message, from its acceptance. */
  readonly windowMs: number;
  /** Whoever has not settled a claim after this time has been killed. */
  readonly takeOverMs: number;
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
  times: ClaimTimes,
): Decision => {
  if (kept === undefined || kept.expiresAt <= now) return claimedAnew(claim, now, times);
  // Its answer was lost on the way.
  if (kept.state === 'underway' && kept.claimant === claim.messageId) return { outcome: outcomeOf(kept) };
  if (kept.digest !== claim.digest)
    return kept.state === 'givenUp' ? claimedAnew(claim, now, times) : { outcome: { kind: 'conflict' } };
  if (kept.state === 'sent') return { outcome: { kind: 'sent', messageId: kept.messageId, at: kept.at } };
  if (kept.state === 'underway' && now - kept.claimedAt < times.takeOverMs)
    return { outcome: { kind: 'underway' } };
  return claimed({
    ...kept,
    ...{ claimant: claim.messageId, claimedAt: now, isRepeated: true, state: 'underway' },
  });
};

/** Of an id that is free. */
export const claimedAnew = (
  { digest, messageId, at }: PublishClaim,
  now: number,
  { windowMs }: ClaimTimes,
): Required<Decision> =>
  claimed({
    ...{ messageId, at, digest, claimant: messageId, claimedAt: now },
    ...{ isRepeated: false, state: 'underway', expiresAt: at + windowMs },
  });

const claimed = (keep: KeptClaim): Required<Decision> => ({ outcome: outcomeOf(keep), keep });

const outcomeOf = ({ messageId, at, isRepeated }: KeptClaim): ClaimOutcome => ({
  ...{ kind: 'claimed', messageId, at, isRepeated },
});
