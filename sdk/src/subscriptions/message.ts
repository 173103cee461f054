import type { RoomwireError } from '../errors.js';
import type { HistoryGap, MessageFrame, MessageMeta } from '../protocol/frames.js';

/** A published message as a subscriber gets it. */
export interface Message {
  /** `app/room/topic` */
  readonly topic: string;
  /** The published data, decoded; check its shape before use. */
  readonly data: unknown;
  /** Present if the server records messages; the same on every redelivery of a message. */
  readonly msgId: string | undefined;
  /** The publisher's `filter`, if it set one. */
  readonly filter: string | undefined;
  /** Present if the subscription has `meta` or `resume`, and the server `meta`. */
  readonly meta: MessageMeta | undefined;
  /** The message comes from the history of the topic, or was collected for the worker group while it was away. */
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
   * Acknowledges the message, once every handler of the topic has done so. May be called at any time and repeatedly. Without a connection nothing is
   * sent, and the message may be delivered again. Has no effect if the server does not record messages.
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

/** The frame names the topic without its room, so several subscriptions may be meant. */
export interface UnplacedHydration {
  /** Name of the topic, without app and room. */
  readonly name: string;
  /** The subscriptions, `app/room/topic`, that it may be for; usually one. */
  readonly topics: readonly string[];
  readonly data: unknown;
}

/** Messages of a topic that are missing. */
export interface Gap extends HistoryGap {
  readonly topic: string;
}

/** Called before the first message after the gap. Must not throw; what it throws is reported as `handler_failed`. */
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
   * without `resume` or `meta`, without history, and until the server has answered.
   */
  readonly position: string | undefined;
  /**
   * Calls `listener` with the answer of the topic's hydration webhook, at once if it has already arrived, and again after every reconnect.
   * Returns a function that removes the listener. See `onHydration`.
   */
  on(event: 'hydration', listener: HydrationHandler): () => void;
  /**
   * Stops the handler at once. If this was the topic's last subscription, resolves when the server has confirmed
   * or can no longer do so. Never rejects; may be called again.
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
