import type { RoomwireError } from '../errors.js';
import type { HistoryGap, MessageFrame, MessageMeta } from '../protocol/frames.js';

/** A published message as a subscriber gets it. */
export interface Message {
  /** `app/room/topic` */
  readonly topic: string;
  /** What was published, decoded; check its shape before use. */
  readonly data: unknown;
  /** Present where the server records messages; the same on every copy of a message. */
  readonly msgId: string | undefined;
  /** The publisher's `filter`, when it gave one. */
  readonly filter: string | undefined;
  /** Where the subscription has `meta` or `resume`, and the server `meta`. */
  readonly meta: MessageMeta | undefined;
  /** From the history of the topic; or collected for the worker group while it was away. */
  readonly isReplay: boolean;
}

/**
 * Called for each message, in order, without waiting for the promise of the last call. A recorded message is acknowledged to the server when the handlers of its topic
 * have returned, or have resolved; a failure leaves it unacknowledged and is reported as `handler_failed`.
 */
export type MessageHandler<M extends Message = Message> = (message: M) => void | Promise<void>;

/** A message of a subscription with `ack: 'manual'`. */
export interface AcknowledgeableMessage extends Message {
  /**
   * Says that the message is done, once every handler of the topic has. May be called again, at any time; without a connection nothing is
   * sent, and the message may come again. Of no effect where the server records no messages.
   */
  ack(): void;
}

/** The answer of a topic's hydration webhook to the subscribe. */
export interface Hydration {
  /** `app/room/topic` */
  readonly topic: string;
  readonly data: unknown;
}

/** Must not throw; what it throws is reported as `handler_failed`. */
export type HydrationHandler = (hydration: Hydration) => void;

/** The frame names the topic without its room: where several may be meant, nobody can tell which one. */
export interface UnplacedHydration {
  /** Name of the topic, without app and room. */
  readonly name: string;
  /** The subscriptions, `app/room/topic`, that it may be for; one as a rule. */
  readonly topics: readonly string[];
  readonly data: unknown;
}

/** Messages of a topic that are missing. */
export interface Gap extends HistoryGap {
  readonly topic: string;
}

/** Called before the message behind the gap. Must not throw; what it throws is reported as `handler_failed`. */
export type GapHandler = (gap: Gap) => void;

/** One caller's interest in a topic. Several of them share one subscription on the wire. */
export interface Subscription {
  readonly topic: string;
  /**
   * Resolves when no more messages will come: undefined after `unsubscribe()` or the client's `close()`, otherwise the
   * error, for example `unknown_topic` when access was lost while the client was away. Never rejects.
   */
  readonly ended: Promise<RoomwireError | undefined>;
  /**
   * How far the subscription has come in the history of its topic, to `resume` there later, in another process or after a reload. Undefined
   * without `resume` or `meta`, without history, and before anything is known.
   */
  readonly position: string | undefined;
  /**
   * Calls `listener` with the answer of the topic's hydration webhook, at once where it has come already, and again after every reconnect.
   * The function that it returns stops that. See `onHydration`.
   */
  on(event: 'hydration', listener: HydrationHandler): () => void;
  /**
   * Stops the handler at once. Resolves when the server has confirmed, where this was the topic's last subscription,
   * or cannot confirm any more. Never rejects; may be called again.
   */
  unsubscribe(): Promise<void>;
}

export const messageOf = ({ topic, data, msgId, filter, meta, isReplay }: MessageFrame): Message => ({
  topic,
  data,
  msgId,
  filter,
  meta,
  isReplay,
});
