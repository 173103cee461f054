import type { Qos } from '../protocol/frames.js';

export interface PublishOptions {
  /** Of the broker's internal hop; 1 by default. With an `id`, 0 is 1. */
  readonly qos?: Qos;
  /** Keep the message as the topic's last value for later subscribers; false by default. */
  readonly retain?: boolean;
  /** Goes to the subscribers whose filters include this value, and to those without filters. */
  readonly filter?: string;
  /** Instead of `filter`: several values, matched against the subscribers' AND-groups too. */
  readonly filters?: readonly string[];
  /**
   * Of all publishes of the actor to the topic with this id, within the time for which the server remembers it, one is
   * delivered: 1 to 128 characters of `A-Z a-z 0-9 _ . : -`. A random one by default; false for none, so that the publish is never
   * sent twice. Only where `client.features` has `idempotency`; otherwise it is not sent.
   */
  readonly id?: string | false;
  /**
   * Not before this time, at most 30 days ahead; one that is past is now. Only where `client.features` has `schedules`, else it is not
   * published (`unsupported_feature`).
   */
  readonly deliverAt?: Date | number | undefined;
}

/** What the server has accepted. */
export interface Published {
  /** The id that it was published with; undefined where the server knows no ids, or the publish was to have none. */
  readonly id: string | undefined;
  /** An earlier publish with this id has been delivered, and this one was not. */
  readonly duplicate: boolean;
  /** Of one with `deliverAt`: by which a backend may cancel it. */
  readonly scheduledId?: string;
}

/** Whether the server takes it as the id of a publish. */
export const isPublishId = (text: string): boolean => /^[\w.:-]{1,128}$/.test(text);
