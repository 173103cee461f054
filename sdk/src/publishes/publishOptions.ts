import type { Qos } from '../protocol/frames.js';

export interface PublishOptions {
  /** Of the broker's internal hop; 1 by default. With an `id`, 0 is treated as 1. */
  readonly qos?: Qos;
  /** Keep the message as the topic's last value for later subscribers; false by default. */
  readonly retain?: boolean;
  /** Goes to the subscribers whose filters include this value, and to those without filters. */
  readonly filter?: string;
  /** Instead of `filter`: several values, matched against the subscribers' AND-groups too. */
  readonly filters?: readonly string[];
  /**
   * Of several publishes of the actor to the topic with the same id, only one is delivered within the time for which the server remembers
   * it. 1 to 128 characters of `A-Z a-z 0-9 _ . : -`; random by default. False for none: the publish is then never
   * sent twice. Ignored unless `client.features` has `idempotency`.
   */
  readonly id?: string | false;
  /**
   * Delivers the message at this time, at most 30 days ahead; a time in the past means now. Needs `schedules` in `client.features`; otherwise
   * the message is not published (`unsupported_feature`).
   */
  readonly deliverAt?: Date | number | undefined;
}

/** A publish that the server has accepted. */
export interface Published {
  /** The id that it was published with; undefined if the server does not support ids, or `id` was false. */
  readonly id: string | undefined;
  /** An earlier publish with this id was accepted instead of this one. */
  readonly duplicate: boolean;
  /** For a publish with `deliverAt`, or a duplicate of one: the id by which a backend can cancel it. */
  readonly scheduledId?: string;
}

/** Whether the server takes it as the id of a publish. */
export const isPublishId = (text: string): boolean => /^[\w.:-]{1,128}$/.test(text);
