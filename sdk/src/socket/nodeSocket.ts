import { WebSocket } from 'ws';
import { bindSocket, type OpenSocket, type SocketEnd, type WebSocketLike } from './clientSocket.js';

/** The `#socket` of Node. */
export const openSocket: OpenSocket = (url, events) => {
  // Compression costs more memory than it saves traffic on messages of this size.
  const webSocket = new WebSocket(url, { perMessageDeflate: false });
  const onClose = (end: SocketEnd): void => events.onClose({ ...end, httpStatus: statusOf(end.cause) });
  return bindSocket(webSocket as unknown as WebSocketLike, { ...events, onClose }, () =>
    webSocket.terminate(),
  );
};

/** The library says it in its error alone, unless one answers the handshake oneself. */
const statusOf = (cause: unknown): number | undefined => {
  const status =
    cause instanceof Error ? /^Unexpected server response: (\d+)$/.exec(cause.message)?.[1] : undefined;
  return status === undefined ? undefined : Number(status);
};
