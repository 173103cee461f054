import type { RoomwireError } from '../errors.js';
import type { AuthAccepted } from '../protocol/frames.js';

/** Who the server takes this connection for. `protocolVersion` is 2. */
export type Session = AuthAccepted;

/**
 * Where the client stands.
 *
 * - `connecting`: a token is being fetched, the socket opened, or the token checked.
 * - `connected`: authenticated; the subscriptions are being made again.
 * - `waiting`: `reason` ended the last attempt or connection; the next attempt begins in `retryInMs` milliseconds.
 * - `closed`: for good, by `close()` (`reason.error` is `client_closed`) or because `reason` allows no other attempt.
 *
 * `failures` counts attempts that failed and connections that were lost since the client was last connected.
 */
export type ConnectionState =
  | { readonly name: 'connecting'; readonly failures: number }
  | { readonly name: 'connected'; readonly session: Session }
  | {
      readonly name: 'waiting';
      readonly failures: number;
      readonly retryInMs: number;
      readonly reason: RoomwireError;
    }
  | { readonly name: 'closed'; readonly reason: RoomwireError };
