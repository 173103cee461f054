/** A publish with an id of its publisher's making, before it is sent. */
export interface PublishClaim {
  /** Of publisher, address and id: at most 100 characters of base64url. */
  readonly key: string;
  /** Of the data, as it is delivered. */
  readonly digest: string;
  /** Of the message to be sent, if this is the first. No two publishes have the same. */
  readonly messageId: string;
  /** When the publish was accepted, Unix milliseconds. */
  readonly at: number;
}

/** The message that an id stands for. */
export interface ClaimedMessage {
  readonly messageId: string;
  /** Unix milliseconds. */
  readonly at: number;
}

export type ClaimOutcome =
  /**
   * The caller is to send the message, under this id. `isRepeated`: an earlier publish may have been sent under it, whose outcome nobody knows.
   */
  | (ClaimedMessage & { readonly kind: 'claimed'; readonly isRepeated: boolean })
  /** It was sent, or is stored for `deliverAt`. */
  | (ClaimedMessage & { readonly kind: 'sent'; readonly deliverAt?: number })
  /** Another publish with this id is under way. */
  | { readonly kind: 'underway' }
  /** An earlier publish with this id had other data. */
  | { readonly kind: 'conflict' };

/** A claim as it is settled: nothing happens where another one has taken its place. */
export type SettledClaim = Pick<PublishClaim, 'key' | 'messageId'>;

export interface SentClaim extends SettledClaim {
  /** Of one that was stored for later, Unix milliseconds. */
  readonly deliverAt?: number;
}

/**
 * The ids under which messages were published, for a window from their acceptance. Decided before a message is sent and settled after, so that a
 * crash between the two is completed by the next try. Any number of processes claim at the same time. Durable once resolved.
 * Rejects with `EngineUnavailable`: whether anything was written is then unknown.
 */
export interface PublishIds {
  /**
   * Decides each claim, in order. A claim is free when there is none, or when the window of the former one is over. Of a claim that is neither
   * settled nor younger than `takeOverMs`, and of one that was given up, the next with the same digest is `claimed` with the
   * message id and time of the former, as `isRepeated`; with another digest a given up one is free. The very same claim once more, after
   * a rejection, is decided as it was.
   */
  claim(claims: readonly PublishClaim[]): Promise<readonly ClaimOutcome[]>;

  /** They were sent. By the message ids of the outcomes, here and below. */
  sent(claims: readonly SentClaim[]): Promise<void>;

  /**
   * They were refused before they were sent: their ids are free. Those that were `isRepeated` are given up instead, since the
   * earlier publish may have been sent. Nothing happens to what was sent.
   */
  free(claims: readonly SettledClaim[]): Promise<void>;

  /** Whether they were sent is not known: the next try sends them again, under the same message id. Nothing happens to what was sent. */
  giveUp(claims: readonly SettledClaim[]): Promise<void>;
}

/** For whoever opens it. */
export interface PublishIdStore extends PublishIds {
  /** Idempotent; everything else rejects with `EngineUnavailable` from then on. */
  close(): Promise<void>;
}
