import { bindSocket, type OpenSocket, type WebSocketLike } from './clientSocket.js';

/** Declared here, because the library is compiled without the DOM's types. */
interface BrowserGlobals {
  readonly WebSocket: new (url: string) => WebSocketLike;
}

/** The `#socket` of browsers, and of whatever else has a global WebSocket and takes the `browser` condition. */
export const openSocket: OpenSocket = (url, events) => {
  const { WebSocket } = globalThis as unknown as BrowserGlobals;
  const webSocket = new WebSocket(url);
  // A page cannot cut a connection; the browser ends it when the closing handshake has had its time.
  return bindSocket(webSocket, events, () => webSocket.close());
};
