import { WebSocket } from 'ws';
import { bindSocket, type OpenSocket, type WebSocketLike } from './clientSocket.js';

/** The `#socket` of Node. */
export const openSocket: OpenSocket = (url, events) => {
  // Compression costs more memory than it saves traffic on messages of this size.
  const webSocket = new WebSocket(url, { perMessageDeflate: false });
  return bindSocket(webSocket as unknown as WebSocketLike, events, () => webSocket.terminate());
};
