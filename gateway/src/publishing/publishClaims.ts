import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { PublishFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import { acceptedAt, withGivenId } from '@roomwire/shared/wire/bus/messageId';
import type { Logger } from '@roomwire/shared/ports/logger';
import type {
  ClaimOutcome,
  PublishClaim,
  PublishIds,
  SentClaim,
  SettledClaim,
} from '@roomwire/shared/ports/publishIds';
import type { Author } from '../access/client.js';
import type { TopicAccess } from '../access/topicAccess.js';
import { Batches } from './batches.js';
import type { MessageIds } from './messageIds.js';
import type { Publisher } from './publisher.js';

/** A claim whose message is to be sent, under this id. */
export type WonClaim = SettledClaim;

export type DecidedClaim =
  /** `isRepeated`: a publish before it has claimed the id, and nobody knows what has become of it. */
  | { readonly kind: 'won'; readonly claim: WonClaim; readonly isRepeated: boolean }
  /** `deliverAt`: of an earlier one that was stored for later. */
  | { readonly kind: 'duplicate'; readonly messageId: string; readonly deliverAt?: number }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'unavailable' };

interface PublishClaimsDeps {
  readonly store: PublishIds;
  readonly ids: Pick<MessageIds, 'next'>;
  readonly logger: Logger;
  /** Between two looks at a claim of another gateway. */
  readonly pollMs: number;
  /** After this time without a decision the publish is refused: longer than the store leaves a claim to one that is gone. */
  readonly patienceMs: number;
}

/**
 * [WS-ONCE-1] The ids that publishers have given to what this gateway publishes. Each is claimed in the store before the message is sent, those that come
 * meanwhile together, and settled after, those of a turn together.
 */
export class PublishClaims {
  private readonly deps: PublishClaimsDeps;
  /** Claims of this gateway that are not settled, by key. */
  private readonly underway = new Map<
    string,
    { readonly settled: Promise<void>; readonly settle: () => void }
  >();
  private readonly claims: Batches<PublishClaim, ClaimOutcome>;
  private readonly settlements: Readonly<Record<'sent' | 'free' | 'giveUp', Batches<SettledClaim>>>;

  constructor(deps: PublishClaimsDeps) {
    const { store } = deps;
    this.deps = deps;
    // What comes meanwhile shares the next call.
    this.claims = new Batches((claims) => store.claim(claims), 1);
    // Nobody takes a claim over before it has had its time to be settled: that must not pass behind another call.
    const settling = (write: (claims: readonly SettledClaim[]) => Promise<void>) =>
      new Batches(write, Number.POSITIVE_INFINITY);
    this.settlements = {
      sent: settling((claims) => store.sent(claims)),
      free: settling((claims) => store.free(claims)),
      giveUp: settling((claims) => store.giveUp(claims)),
    };
  }

  /** Never rejects. A claim that is won must be settled: `sent`, `free` or `givenUp`. */
  claim(
    { mark }: Pick<Publisher, 'mark'>,
    author: Author,
    access: TopicAccess,
    { id = '', data }: PublishFrame,
  ): Promise<DecidedClaim> {
    return this.claimUnder(keyOf(author, access, id), data, withGivenId(this.deps.ids.next(mark), id));
  }

  /** The same for what has no publisher, under a key of at most 40 characters: those of publishers are longer. */
  async claimUnder(key: string, data: Uint8Array, messageId: string): Promise<DecidedClaim> {
    try {
      return await this.decide(key, sha256(data), messageId);
    } catch (error) {
      this.deps.logger.warn('The id of a publish could not be claimed', { error });
      return { kind: 'unavailable' };
    }
  }

  /** Its message was sent, or stored for later. Never rejects: if that cannot be stored, the next publish with the id is sent once more, under the same message id. */
  sent(claim: SentClaim): Promise<void> {
    return this.settle(claim, 'sent');
  }

  /** It was refused, and nothing was sent. Never rejects. */
  free(claim: WonClaim): Promise<void> {
    return this.settle(claim, 'free');
  }

  /** Nobody knows whether it was sent. Never rejects. */
  givenUp(claim: WonClaim): Promise<void> {
    return this.settle(claim, 'giveUp');
  }

  private async decide(key: string, digest: string, messageId: string): Promise<DecidedClaim> {
    const { pollMs, patienceMs } = this.deps;
    for (let waitedMs = 0; ; waitedMs += pollMs) {
      await this.underway.get(key)?.settled;
      const outcome = await this.claims.add({ key, digest, messageId, at: acceptedAt(messageId) });
      if (outcome.kind === 'claimed') return this.won(key, outcome);
      if (outcome.kind === 'sent') return duplicateOf(outcome);
      if (outcome.kind === 'conflict') return { kind: 'conflict' };
      if (waitedMs >= patienceMs) return { kind: 'unavailable' };
      // One of this gateway is waited for above.
      if (!this.underway.has(key)) await pause(pollMs, undefined, { ref: false });
    }
  }

  private won(
    key: string,
    { messageId, isRepeated }: { readonly messageId: string; readonly isRepeated: boolean },
  ): DecidedClaim {
    let settle = (): void => undefined;
    const settled = new Promise<void>((resolve) => (settle = resolve));
    this.underway.set(key, { settled, settle });
    return { kind: 'won', claim: { key, messageId }, isRepeated };
  }

  private async settle(claim: WonClaim, as: keyof PublishClaims['settlements']): Promise<void> {
    try {
      await this.settlements[as].add(claim);
    } catch (error) {
      this.deps.logger.warn('The outcome of a publish with an id could not be stored', { error });
    }
    this.underway.get(claim.key)?.settle();
    this.underway.delete(claim.key);
  }
}

const duplicateOf = ({ messageId, deliverAt }: Extract<ClaimOutcome, { kind: 'sent' }>): DecidedClaim => ({
  ...{ kind: 'duplicate', messageId, ...(deliverAt !== undefined && { deliverAt }) },
});

/** Of an id in its key, as it is: enough for the time in a UUID or a ULID, or for a counter with a name before it. */
const shownOfId = 40;

/**
 * Of a room that is made anew under its former address it is another one. It begins as the id does, so that ids which count up, or begin with the time,
 * lie beside each other in the store: a write then changes few of its pages, and not one for each id.
 */
const keyOf = ({ actorTokenId }: Author, { topic, location }: TopicAccess, id: string): string =>
  id.slice(0, shownOfId).replace(/[.:]/g, '_') +
  sha256(JSON.stringify([location.room.value.roomId, topic, actorTokenId, id]));

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('base64url');
