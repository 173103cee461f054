import type { ConnectionState } from './connection/connection.js';
import type { RoomwireError } from './errors.js';
import type { RoomChange } from './presence/rooms.js';
import type { UnplacedHydration } from './subscriptions/message.js';

export interface ClientEvents {
  /** Every change of `state`. */
  state: ConnectionState;
  /** An actor joined or left a room that the client has entered, or changed its presence. */
  presence: RoomChange;
  /** What a hydration webhook has answered to a subscribe. See also `onHydration` of a subscription. */
  hydration: UnplacedHydration;
  /** The token is about to expire: with a token function it is renewed, with a text the connection ends then. Needs `notices`. */
  tokenExpiring: TokenExpiring;
  /** Rights have ended a subscription, whose handlers get nothing more. Needs `notices`. */
  subscriptionEnded: SubscriptionEnded;
  /**
   * Errors that no promise rejects with: a frame that cannot be read (`undecodable_frame`), a handler that failed
   * (`handler_failed`), a subscription that was refused after a reconnect or has ended, a token that could not be renewed, an error frame
   * that answers no request.
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
