import { decode, encode } from '@msgpack/msgpack';
import { WebSocket } from 'ws';
import type { CountOutcome } from './outcomes.js';

export interface HostileSocketOptions {
  readonly port: number;
  /** An address of the loopback network: attackers do not share theirs with those who behave. */
  readonly from: string;
  readonly count: CountOutcome;
}

/** A socket that counts what it is answered, and expects nothing. */
export class HostileSocket {
  readonly closed: Promise<void>;
  private readonly socket: WebSocket;

  private constructor(socket: WebSocket, count: CountOutcome) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        count(`close ${code} ${reason.toString()}`.trimEnd());
        resolve();
      });
    });
    socket.on('error', () => undefined);
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary || data.length === 0 || data.length > longestAnswer) return;
      const { type, error, success } = decode(data) as Record<string, unknown>;
      if (type === 'error') count(`error ${String(error)}`);
      if (type === 'auth' && success !== true) count(`auth ${String(error)}`);
    });
  }

  /** Undefined where the handshake is refused, which is counted. */
  static open({ port, from, count }: HostileSocketOptions): Promise<HostileSocket | undefined> {
    return new Promise((resolve) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, {
        localAddress: from,
        perMessageDeflate: false,
      });
      socket.once('unexpected-response', (request, { statusCode }) => {
        count(`HTTP ${statusCode}`);
        request.destroy();
        resolve(undefined);
      });
      socket.once('error', () => resolve(undefined));
      socket.once('open', () => {
        socket.removeAllListeners('error');
        resolve(new HostileSocket(socket, count));
      });
    });
  }

  /** Authenticated, or undefined. */
  static async enter(
    options: HostileSocketOptions,
    token: string,
    fields: Readonly<Record<string, unknown>> = {},
  ): Promise<HostileSocket | undefined> {
    const opened = await HostileSocket.open(options);
    opened?.send({ type: 'auth', token, protocolVersion: 2, ...fields });
    return opened;
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** Bytes that the service has not read yet. */
  get waiting(): number {
    return this.socket.bufferedAmount;
  }

  send(frame: Readonly<Record<string, unknown>>): void {
    this.write(encode(frame, { ignoreUndefined: true }));
  }

  write(bytes: Uint8Array): void {
    if (this.isOpen) this.socket.send(bytes);
  }

  /** The beginning of a message that does not end. */
  begin(bytes: Uint8Array): void {
    if (this.isOpen) this.socket.send(bytes, { fin: false });
  }

  stopReading(): void {
    this.socket.pause();
  }

  end(): void {
    this.socket.terminate();
  }
}

/** Answers that are longer are deliveries and lists, which nobody looks at. */
const longestAnswer = 4_096;
