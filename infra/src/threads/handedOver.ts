import { Buffer } from 'node:buffer';
import { closeSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Descriptors } from './descriptors.js';

/** A handshake on its way to the thread that answers it. */
export interface HandedOver {
  readonly descriptor: number;
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  /** What the client has sent behind the handshake. */
  readonly head: Uint8Array;
}

/** Takes the connection out of this thread, which knows nothing more of it. Undefined where it is gone. */
export const handOver = (
  descriptors: Descriptors,
  { method, url, headers }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): HandedOver | undefined => {
  if (!(socket instanceof Socket)) throw new TypeError('Only TCP connections can be given to threads');
  const descriptor = descriptors.duplicate(socket);
  if (descriptor === undefined) {
    socket.destroy();
    return undefined;
  }
  // No more is read from now on: the rest is for the other thread.
  socket.pause();
  const read: Buffer | null = socket.read() as Buffer | null;
  const whole = read === null ? head : Buffer.concat([head, read]);
  // Closes the descriptor, and not the connection, which has another one.
  socket.destroy();
  return { descriptor, method, url, headers, head: new Uint8Array(whole) };
};

/** A connection of this thread. A descriptor that cannot be opened is closed, and throws. */
export const openConnection = (descriptor: number): Socket => {
  try {
    // Half open, as HTTP servers have theirs: a client may end its side first.
    return new Socket({ fd: descriptor, readable: true, writable: true, allowHalfOpen: true });
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
};

/** A handshake as the HTTP server of this thread would have it. */
export interface TakenOver {
  readonly request: IncomingMessage;
  readonly head: Buffer;
}

export const takeOver = (socket: Socket, { method, url, headers, head }: HandedOver): TakenOver => {
  socket.setNoDelay(true);
  const request = new IncomingMessage(socket);
  request.method = method;
  request.url = url;
  request.headers = headers;
  return { request, head: Buffer.from(head) };
};
