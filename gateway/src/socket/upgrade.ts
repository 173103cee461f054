import type { Duplex } from 'node:stream';
import { Buffer } from 'node:buffer';
import type { IncomingMessage, Server } from 'node:http';

/** A peer that does not read the answer is disconnected after this time. */
const graceMs = 2_000;

/**
 * Answers an `upgrade` request with an HTTP status and closes the socket. The HTTP server no longer manages a socket that
 * asked for an upgrade: it has to be ended here.
 */
export const refuseUpgrade = (socket: Duplex, status: string): void => {
  const destroy = () => socket.destroy();
  const deadline = setTimeout(destroy, graceMs);
  socket.once('close', () => clearTimeout(deadline));
  socket.on('error', destroy);
  socket.once('finish', destroy);
  // Unread input would cause a TCP reset, which can overtake the answer.
  socket.resume();
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
};

/** Names and values. Node drops everything after a thousand headers, possibly with the length of the body. */
const maxRawHeaders = 1_000;

const replaced: ReadonlySet<string> = new Set(['upgrade', 'connection']);

/** Whether a client requests a WebSocket and not another protocol such as `h2c`. */
export const asksForWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';

/**
 * Serves an `upgrade` request as an ordinary one. A server may ignore the offer of a protocol
 * (RFC 9110, 7.8), but Node 20 hands every such request to the `upgrade` listener, and only Node 24 lets it choose
 * (`shouldUpgradeCallback`). So the request goes back in front of what the socket still holds, without the offer, and
 * the socket back to the server as a new connection: the server reads the body, if any.
 *
 * It is the last request of its connection, so that a socket is returned only once. Pipelined requests before it are not
 * supported: clients do not offer an upgrade behind those.
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

/**
 * Whether a handshake is allowed. Only browsers send an origin, and no page can forge it: the check keeps foreign pages out,
 * so that a handshake without an origin passes.
 */
export const isAllowedOrigin = ({ headers }: IncomingMessage, allowed: readonly string[] | '*'): boolean => {
  // The second one predates the standard and is still accepted by `ws`.
  const named = [headers.origin, headers['sec-websocket-origin']]
    .flat()
    .filter((origin) => origin !== undefined);
  return allowed === '*' || named.every((origin) => allowed.includes(origin));
};
