import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

/** Takes what a server sends. The chunk is only on loan: it is overwritten by the next read. */
export interface Receiver {
  receive(chunk: Buffer, end: number): void;
}

/** One for all sockets, because a chunk is always used up before the next read. */
const readBuffer = Buffer.allocUnsafeSlow(256 * 1024);

const headEnd = '\r\n\r\n';

/** A WebSocket as far as a load generator needs it: the handshake by hand, then bytes. */
export interface Connection {
  receiver: Receiver;
  readonly closed: Promise<Error>;
  write(bytes: Buffer): void;
  end(): void;
}

export const openConnection = (port: number, path: string, first: Receiver): Promise<Connection> =>
  new Promise((resolve, reject) => {
    let state: Receiver = handshake(accepted, reject, () => first);
    const socket = connect({
      host: '127.0.0.1',
      port,
      noDelay: true,
      onread: {
        buffer: readBuffer,
        callback: (length) => {
          state.receive(readBuffer, length);
          return true;
        },
      },
    });
    const closed = whenClosed(socket);
    void closed.then(reject);
    socket.write(upgradeRequest(port, path));

    function accepted(): void {
      state = first;
      resolve({
        get receiver() {
          return state;
        },
        set receiver(receiver) {
          state = receiver;
        },
        closed,
        write: (bytes) => void socket.write(bytes),
        end: () => void socket.destroy(),
      });
    }
  });

const whenClosed = (socket: Socket): Promise<Error> =>
  new Promise((resolve) => {
    socket.once('error', resolve);
    socket.once('close', () => resolve(new Error('The server closed a connection')));
  });

const upgradeRequest = (port: number, path: string): string =>
  [
    `GET ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    'Sec-WebSocket-Version: 13',
  ].join('\r\n') + headEnd;

/** Reads the answer to the upgrade; bytes after it belong to the next receiver. */
const handshake = (accepted: () => void, refused: (error: Error) => void, next: () => Receiver): Receiver => {
  let answer = '';
  return {
    receive(chunk, end) {
      answer += chunk.toString('latin1', 0, end);
      const headLength = answer.indexOf(headEnd);
      if (headLength < 0) return;
      const status = answer.slice(0, answer.indexOf('\r\n'));
      if (!status.startsWith('HTTP/1.1 101')) return refused(new Error(`The upgrade was refused: ${status}`));
      accepted();
      const rest = Buffer.from(answer.slice(headLength + headEnd.length), 'latin1');
      if (rest.length > 0) next().receive(rest, rest.length);
    },
  };
};
