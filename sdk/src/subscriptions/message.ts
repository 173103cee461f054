import type { RoomwireError } from '../errors.js';
import type { Filter, MessageFrame, MessageMeta, Qos } from '../protocol/frames.js';

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
  /** Where the subscription asks for `meta`, and the server has it. */
  readonly meta: MessageMeta | undefined;
  /** Collected for the worker group while it was away. */
  readonly isReplay: boolean;
}

/**
 * Called for each message, in order, without waiting for the promise of the last call. A recorded message is acknowledged to the server when the handlers of its topic
 * have returned, or have resolved; a failure leaves it unacknowledged and is reported as `handler_failed`.
 */
export type MessageHandler = (message: Message) => void | Promise<void>;

export interface SubscribeOptions {
  /** Of the broker's internal hop; 1 by default. */
  readonly qos?: Qos;
  /** Only messages that match one of these, at most 100; all messages by default. */
  readonly filters?: readonly Filter[] | undefined;
  /** Share the topic's messages with the other members of the group: each goes to one of them. */
  readonly loadBalance?: boolean;
  /** Name of the group within the app; the actor's `actorTokenId` by default. */
  readonly loadBalanceGroup?: string;
  /** `meta` on every message: its id, its time, its publisher; false by default. Only where `client.features` has `meta`. */
  readonly meta?: boolean;
  /**
   * Also what the own actor publishes, on other connections or over HTTP; false by default. What this client publishes on its present
   * connection never comes back live. Only where `client.features` has `own`.
   */
  readonly own?: boolean;
}

/** One caller's interest in a topic. Several of them share one subscription on the wire. */
export interface Subscription {
  readonly topic: string;
  /**
   * Resolves when no more messages will come: undefined after `unsubscribe()` or the client's `close()`, otherwise the
   * error, for example `unknown_topic` when access was lost while the client was away. Never rejects.
   */
  readonly ended: Promise<RoomwireError | undefined>;
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

/** Whether two sets of options ask the server for the same. */
export const sameOptions = (one: SubscribeOptions, other: SubscribeOptions): boolean =>
  essence(one) === essence(other);

const essence = ({ qos, filters, loadBalance, loadBalanceGroup, meta, own }: SubscribeOptions): string =>
  JSON.stringify([
    ...[qos ?? 1, filters ?? [], loadBalance ?? false],
    ...[meta ?? false, own ?? false, loadBalanceGroup],
  ]);
