import type { Socket } from 'node:net';

/** Ends a connection at once. One that is ending already cannot be reset: Node would keep its handle for ever. */
export const reset = (socket: Socket): void => {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
};
