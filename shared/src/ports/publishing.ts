import type { ProtocolErrorName } from '../wire/protocol/protocolErrors.js';
import type { Qos } from '../wire/protocol/messageOptions.js';

/** A message that a backend publishes, without a socket. */
export interface BackendMessage {
  /** `app-slug/room-slug/topic`. */
  readonly topic: string;
  /** MessagePack. */
  readonly data: Uint8Array;
  /** The id or the slug of an access scope; undefined for none. Excludes `as`. */
  readonly scope: string | undefined;
  /** The `actorTokenId` or `keyId` of the actor that publishes; undefined for the backend itself. */
  readonly as: string | undefined;
  readonly filter: string | undefined;
  readonly filters: readonly string[];
  readonly retain: boolean;
  readonly qos: Qos;
  /** Of the publisher's making; undefined where it may be delivered twice. */
  readonly id: string | undefined;
  /** Whether the trigger webhook runs; undefined for what is usual: only with `as`. */
  readonly trigger: boolean | undefined;
  /** When it is to be delivered, Unix milliseconds; undefined for at once. */
  readonly deliverAt?: number | undefined;
}

export interface Publishers {
  readonly organizationId: string;
  readonly projectId: string;
}

export interface AcceptedMessage {
  /** What the publisher gave, otherwise one that was made. */
  readonly id: string;
  /** When it was accepted, Unix milliseconds. */
  readonly at: number;
  /** Whether an earlier publish with this id has been accepted, and this one was not sent. */
  readonly isDuplicate: boolean;
  /** Of a topic with history; absent, or undefined, where it is not known. */
  readonly position?: string | undefined;
  /** Of one that is to be delivered later, and has been stored. */
  readonly scheduled?: { readonly scheduledId: string; readonly deliverAt: number } | undefined;
}

export type PublishResult = AcceptedMessage | { readonly error: ProtocolErrorName };

/** Publishes over HTTP, with the checks and the effects of a publish over a socket. */
export interface Publishing {
  /**
   * In the order of the messages, those for one room are sent in it. What is behind a message that exceeds the quota exceeds it as well;
   * once the bus has gone away, the rest is `brokerUnavailable`. Rejects with `EngineUnavailable` where the read models cannot be
   * reached before anything was sent.
   */
  publish(of: Publishers, messages: readonly BackendMessage[]): Promise<readonly PublishResult[]>;
}
