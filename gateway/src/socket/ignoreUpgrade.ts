import { Buffer } from 'node:buffer';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { refuseUpgrade } from './refuseUpgrade.js';

/** Names and values. Node drops what comes behind a thousand headers, and with it perhaps the length of the body. */
const maxRawHeaders = 1_000;

const replaced: ReadonlySet<string> = new Set(['upgrade', 'connection']);

/** Whether a client asks for a WebSocket, and not for another protocol such as `h2c`. */
export const asksForWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';

/**
 * Serves an `upgrade` request as the ordinary one that it is as well. A server may ignore the offer of a protocol
 * (RFC 9110, 7.8), but Node 20 hands every such request to the `upgrade` listener, and only Node 24 lets it choose
 * (`shouldUpgradeCallback`). So the request goes back in front of what the socket still holds, without the offer, and
 * the socket back to the server as a new connection: the server reads the body, if any.
 *
 * It is the last request of its connection, so that a socket comes back only once. The answers to requests that were
 * sent before it without waiting for them are not looked after: clients do not offer an upgrade behind those.
 */
export const ignoreUpgrade = (
  server: Server,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void => {
  const { method = '', url = '', httpVersion, rawHeaders } = request;
  if (rawHeaders.length > maxRawHeaders) return refuseUpgrade(socket, '431 Request Header Fields Too Large');
  const lines = [`${method} ${url} HTTP/${httpVersion}`, 'Connection: close'];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (!replaced.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[at + 1] ?? ''}`);
  }
  // Node reads headers as Latin-1.
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
};
