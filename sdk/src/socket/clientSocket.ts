/** A WebSocket as the client sees it, in any environment. */
export interface ClientSocket {
  /** Only after `onOpen`. On a socket that is closing the bytes are lost, `onClose` follows. */
  send(bytes: Uint8Array<ArrayBuffer>): void;
  /** Closing handshake with code 1000; `onClose` follows, but perhaps late or never when the peer is gone. */
  close(): void;
  /** Lets go at once; events may still follow. */
  abandon(): void;
}

export interface SocketEnd {
  /** 1006 when there was no closing handshake. */
  readonly code: number;
  readonly reason: string;
  /** What the environment knows of the failure; browsers tell nothing. */
  readonly cause?: unknown;
  /** Of an answer to the handshake that opened no socket. */
  readonly httpStatus?: number | undefined;
}

export interface SocketEvents {
  onOpen(): void;
  /** A text frame comes as a string. */
  onFrame(frame: Uint8Array | string): void;
  /** Once, the last event. */
  onClose(end: SocketEnd): void;
}

/** Throws for an address that is no WebSocket address; every other failure ends in `onClose`. */
export type OpenSocket = (url: string, events: SocketEvents) => ClientSocket;

/** The part of the WebSocket interface that browsers and the `ws` package have in common and that we use. */
export interface WebSocketLike {
  binaryType: string;
  onopen: (() => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onerror: ((event: { readonly error?: unknown }) => void) | null;
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null;
  send(bytes: Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
}

export const bindSocket = (
  webSocket: WebSocketLike,
  events: SocketEvents,
  abandon: () => void,
): ClientSocket => {
  let cause: unknown;
  webSocket.binaryType = 'arraybuffer';
  webSocket.onopen = () => events.onOpen();
  webSocket.onmessage = ({ data }) => events.onFrame(frameOf(data));
  // Always followed by a close. The handler has to stay: `ws` throws an error without a listener.
  webSocket.onerror = ({ error }) => (cause = error);
  webSocket.onclose = ({ code, reason }) => events.onClose(endOf(code, reason, cause));
  return { send: (bytes) => webSocket.send(bytes), close: () => webSocket.close(1000), abandon };
};

const frameOf = (data: unknown): Uint8Array | string =>
  data instanceof ArrayBuffer ? new Uint8Array(data) : String(data);

const endOf = (code: number, reason: string, cause: unknown): SocketEnd =>
  cause === undefined ? { code, reason } : { code, reason, cause };
