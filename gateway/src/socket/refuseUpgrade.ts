import type { Duplex } from 'node:stream';

/** A peer that does not even take the answer is cut off after this long. */
const graceMs = 2_000;

/**
 * Answers an `upgrade` request with an HTTP status and lets go of the socket. The HTTP server no longer looks after a
 * socket that was to be upgraded, and keeps its side open when the peer does: nobody but us ends it.
 */
export const refuseUpgrade = (socket: Duplex, status: string): void => {
  const destroy = () => socket.destroy();
  const deadline = setTimeout(destroy, graceMs);
  socket.once('close', () => clearTimeout(deadline));
  socket.on('error', destroy);
  socket.once('finish', destroy);
  // What has come and is not read would turn the end into a reset, which can overtake the answer.
  socket.resume();
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
};
