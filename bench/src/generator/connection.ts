import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { decode } from '@msgpack/msgpack';
import { FrameWalker } from './frames.js';

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

/** Decodes the frames of a conversation: for the few before the load, and for refusals. Copies, unlike the walker. */
export class FrameReader implements Receiver {
  private readonly walker = new FrameWalker({ onFrame: (opcode, length) => this.take(opcode, length) });
  private readonly onFrame: (frame: unknown) => void;
  private readonly decode: (payload: Uint8Array) => unknown;
  private bytes = Buffer.alloc(0);
  private ends: { readonly opcode: number; readonly length: number }[] = [];

  constructor(onFrame: (frame: unknown) => void, decodeBinary: (payload: Uint8Array) => unknown = decode) {
    this.onFrame = onFrame;
    this.decode = decodeBinary;
  }

  receive(chunk: Buffer, end: number): void {
    this.bytes = Buffer.concat([this.bytes, chunk.subarray(0, end)]);
    this.walker.walk(chunk, end);
    const complete = this.ends;
    this.ends = [];
    for (const { opcode, length } of complete) this.onFrame(this.cut(opcode, length));
  }

  private take(opcode: number, length: number): void {
    this.ends.push({ opcode, length });
  }

  private cut(opcode: number, length: number): unknown {
    const headerLength = length < 126 ? 2 : length < 65_536 ? 4 : 10;
    const payload = this.bytes.subarray(headerLength, headerLength + length);
    this.bytes = this.bytes.subarray(headerLength + length);
    return opcode === 2 ? this.decode(payload) : { opcode, text: payload.toString() };
  }
}

type Accepts = (frame: unknown) => boolean;

/** Questions and answers before the load. */
export interface Conversation {
  readonly connection: Connection;
  /** Rejects when the next frame is another, or the connection ends. */
  answer(accepts: Accepts): Promise<void>;
  ask(bytes: Buffer, accepts: Accepts): Promise<void>;
}

export const openConversation = async (
  port: number,
  path: string,
  decodeBinary?: (payload: Uint8Array) => unknown,
): Promise<Conversation> => {
  const early: unknown[] = [];
  let answered: ((frame: unknown) => void) | undefined;
  const take = (frame: unknown): void => {
    if (answered === undefined) early.push(frame);
    else answered(frame);
    answered = undefined;
  };
  const next = (): Promise<unknown> =>
    new Promise((resolve) => {
      if (early.length > 0) resolve(early.shift());
      else answered = resolve;
    });
  const connection = await openConnection(port, path, new FrameReader(take, decodeBinary));
  const answer = async (accepts: Accepts): Promise<void> => {
    const given = await Promise.race([next(), connection.closed]);
    if (!accepts(given)) throw new Error(`A server refused a client: ${describe(given)}`);
  };
  return {
    connection,
    answer,
    ask(bytes, accepts) {
      connection.write(bytes);
      return answer(accepts);
    },
  };
};

const describe = (given: unknown): string => (given instanceof Error ? given.message : JSON.stringify(given));
