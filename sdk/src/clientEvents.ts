import type { ConnectionState } from './connection/connection.js';
import type { RoomwireError } from './errors.js';
import type { RoomChange } from './presence/rooms.js';
import type { UnplacedHydration } from './subscriptions/message.js';

export interface ClientEvents {
  /** Every change of `state`. */
  state: ConnectionState;
  /** An actor joined or left a room that the client has entered, or changed its presence. */
  presence: RoomChange;
  /** The answer of a hydration webhook to a subscribe. See also `onHydration` of a subscription. */
  hydration: UnplacedHydration;
  /** The token is about to expire: a token function renews it; if the token is a string, the connection ends. Needs `notices`. */
  tokenExpiring: TokenExpiring;
  /** The actor has lost the right to a subscription; its handlers get no more messages. Needs `notices`. */
  subscriptionEnded: SubscriptionEnded;
  /**
   * Errors that no promise rejects with: a frame that cannot be read (`undecodable_frame`), a handler that failed
   * (`handler_failed`), a subscription that was refused after a reconnect or has ended, a token that could not be renewed, an error frame
   * that belongs to no request.
   */
  error: RoomwireError;
}

export interface TokenExpiring {
  /** Unix seconds. */
  readonly authExpiresAt: number | undefined;
}

export interface SubscriptionEnded {
  /** `app/room/topic` */
  readonly topic: string;
  /** For example `grant_revoked`, `room_deleted` or `capability`. */
  readonly reason: string;
}
