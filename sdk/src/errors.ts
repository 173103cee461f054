import {
  failureText,
  helpFor,
  type AuthenticationFailure,
  type ClientFailure,
  type ErrorName,
} from './errorNames.js';

export interface ErrorDetails {
  readonly message?: string | undefined;
  readonly cause?: unknown;
  readonly code?: number | undefined;
  readonly topic?: string | undefined;
  readonly hint?: string | undefined;
  readonly msgRef?: string | undefined;
  readonly maxSizeBytes?: number | undefined;
  readonly lobbyId?: string | undefined;
  readonly reason?: string | undefined;
}

/** Everything that the client rejects with or reports. Tell errors apart by `error`. */
export class RoomwireError extends Error {
  override readonly name: string = 'RoomwireError';
  /** Machine-readable name, for example `unknown_topic`. */
  readonly error: ErrorName;
  /** Where the protocol gives a number, for example 42940. */
  readonly code: number | undefined;
  /** `app/room/topic`, or the `roomId`, that it is about. */
  readonly topic: string | undefined;
  /** What may help, as the server says with `unknown_topic`. */
  readonly hint: string | undefined;
  /** Reference of the publish that failed. */
  readonly msgRef: string | undefined;
  /** Most bytes that `data` may have, with `message_too_large`. */
  readonly maxSizeBytes: number | undefined;
  /** Lobby that it is about. */
  readonly lobbyId: string | undefined;
  /** Why, where there is more to say: of `subscription_ended` as the server tells, of `unreachable` as the system does. */
  readonly reason: string | undefined;
  /** What to look at. The message has it too. */
  readonly help: string | undefined;

  constructor(error: ErrorName, details: ErrorDetails = {}) {
    const help = helpFor(error);
    super(describe(error, help, details), details.cause === undefined ? undefined : { cause: details.cause });
    this.error = error;
    this.help = help;
    this.reason = details.reason;
    this.code = details.code;
    this.topic = details.topic;
    this.hint = details.hint;
    this.msgRef = details.msgRef;
    this.maxSizeBytes = details.maxSizeBytes;
    this.lobbyId = details.lobbyId;
  }
}

/** The server refused the token, or could not check it: `error` says which. */
export class AuthenticationError extends RoomwireError {
  override readonly name: string = 'AuthenticationError';
  declare readonly error: AuthenticationFailure | (string & {});

  constructor(error: AuthenticationFailure | (string & {}), details: ErrorDetails = {}) {
    const message = failureText(error) ?? `Token refused: ${error}`;
    super(error, { message, ...details });
  }
}

export interface ConnectionDetails extends ErrorDetails {
  readonly closeCode?: number | undefined;
  readonly closeReason?: string | undefined;
  readonly httpStatus?: number | undefined;
}

/** There is no connection, or no longer. */
export class ConnectionError extends RoomwireError {
  override readonly name: string = 'ConnectionError';
  declare readonly error: ClientFailure;
  /** Close code of the WebSocket (4001, 4002, 4003, 1012, …; 1006 without a closing handshake). */
  readonly closeCode: number | undefined;
  /** Close reason as the server gave it, for example `token_revoked`. */
  readonly closeReason: string | undefined;
  /** With which the server answered instead of opening a socket, for example 503; browsers do not tell. */
  readonly httpStatus: number | undefined;

  constructor(error: ClientFailure, details: ConnectionDetails = {}) {
    super(error, details);
    this.closeCode = details.closeCode;
    this.closeReason = details.closeReason;
    this.httpStatus = details.httpStatus;
  }
}

/** A connection was lost, or is not there: what is wished is asked for again on the next one. */
export const isLoss = ({ error }: RoomwireError): boolean =>
  error === 'connection_lost' || error === 'not_connected';

/** Nothing is wrong with the request: it may succeed later, on the same connection. */
export const mayPass = ({ error }: RoomwireError): boolean =>
  ['broker_unavailable', 'memory_limit_exceeded', 'request_timeout'].includes(error);

/** What was refused, why, and what to look at. */
const describe = (error: ErrorName, help: string | undefined, details: ErrorDetails): string => {
  const { message, topic, lobbyId, reason, hint } = details;
  const about = topic ?? lobbyId;
  const text = message ?? failureText(error) ?? `The server answered ${error}`;
  const said = [about === undefined ? text : `${text} (${about})`, reason, hint].filter(Boolean).join(': ');
  return help === undefined ? said : `${said}. ${help}`;
};
