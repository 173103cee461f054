import type { ClientSocket, SocketEnd, SocketEvents } from './clientSocket.js';

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
  // Always followed by a close. The handler has to stay: `ws` throws an error that nobody listens to.
  webSocket.onerror = ({ error }) => (cause = error);
  webSocket.onclose = ({ code, reason }) => events.onClose(endOf(code, reason, cause));
  return { send: (bytes) => webSocket.send(bytes), close: () => webSocket.close(1000), abandon };
};

const frameOf = (data: unknown): Uint8Array | string =>
  data instanceof ArrayBuffer ? new Uint8Array(data) : String(data);

const endOf = (code: number, reason: string, cause: unknown): SocketEnd =>
  cause === undefined ? { code, reason } : { code, reason, cause };
