import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import kafkajs from 'kafkajs';

// Patches of kafkajs 2.2.4 internals: the version is pinned, and a test for each patch fails when the library
// is no longer as it was.

interface Connection {
  readonly broker: string;
  readonly connectionStatus: string;
  readonly socket: Socket | null;
  chunks: readonly Uint8Array[];
  bytesBuffered: number;
  bytesNeeded: number;
  connect: (this: Connection) => Promise<boolean>;
  failIfNotConnected: (this: Connection) => void;
}

interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests: (this: RequestQueue) => void;
}

interface Class<T> {
  readonly prototype: T;
}

const require = createRequire(import.meta.url);
const connections = (require('kafkajs/src/network/connection') as Class<Connection>).prototype;
const queues = (require('kafkajs/src/network/requestQueue') as Class<RequestQueue>).prototype;
const { connect } = connections;
const { scheduleCheckPendingRequests } = queues;

/** Every answer begins with its length. */
const lengthBytes = 4;

export const patchKafkajs = (): void => {
  connections.failIfNotConnected = refuseWhileClosing;
  connections.connect = connectWithEmptyBuffer;
  queues.scheduleCheckPendingRequests = checkWhilePending;
};

/**
 * A connection still takes requests while it is closing, and no longer watches how long they take: such a request never
 * settles, nor does anything that waits for it. Here it fails, and is sent again.
 */
function refuseWhileClosing(this: Connection): void {
  if (this.connectionStatus !== 'connected')
    throw new kafkajs.KafkaJSConnectionError('Not connected', { broker: this.broker });
}

/**
 * A connection that ends in the middle of an answer keeps the half, and takes the first bytes of its next socket for the rest:
 * it then waits for an answer of any size, or reads past the end of one, an error that is not caught.
 */
function connectWithEmptyBuffer(this: Connection): Promise<boolean> {
  if (this.connectionStatus !== 'connected') {
    this.socket?.removeAllListeners('data');
    Object.assign(this, { chunks: [], bytesBuffered: 0, bytesNeeded: lengthBytes });
  }
  return connect.call(this);
}

/**
 * Every connection checks for pending requests each millisecond: 5 % of a core per idle connection. There are none
 * unless `push` held a request back, which schedules the check itself.
 */
function checkWhilePending(this: RequestQueue): void {
  if (this.pending.length > 0) scheduleCheckPendingRequests.call(this);
}
