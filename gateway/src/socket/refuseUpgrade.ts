import type { Duplex } from 'node:stream';

/** Answers an `upgrade` request with an HTTP status and lets go of the socket. */
export const refuseUpgrade = (socket: Duplex, status: string): void => {
  // The HTTP server no longer listens for errors of a socket that was to be upgraded.
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
};
