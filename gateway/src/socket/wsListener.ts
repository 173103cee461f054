import type { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { CloseSpec } from '@roomwire/shared/wire/protocol/protocolErrors';
import { WebSocket, WebSocketServer, type ServerOptions } from 'ws';
import { maxFrameBytes } from '@roomwire/shared/wire/protocol/limits';

/** A WebSocket as the gateway uses it. */
export interface FrameSocket {
  /** One or more complete WebSocket frames. Does nothing once the socket is closing. */
  write(frames: Buffer): void;
  /** Written bytes that the peer has not received yet. */
  readonly bufferedBytes: number;
  /** Stops reading. Frames that were already read may still be reported. */
  pause(): void;
  resume(): void;
  /** Begins the closing handshake; a peer that does not answer is disconnected after the grace period. */
  close(why: CloseSpec): void;
  terminate(): void;
}

/** Callbacks of a socket. `onClosed` is the last one. */
export interface FrameReceiver {
  /** A complete frame. The bytes are the receiver's for the duration of the call and as long as it holds them. */
  onFrame(bytes: Buffer, isText: boolean): void;
  /** A ping or a pong: a sign of life, already answered. */
  onSignOfLife(): void;
  /** The peer closes: what is written within the call is still sent, and nothing after it. Not always called. */
  onClosing(): void;
  /** With the code of the peer's close; 1005 for none, 1006 where the connection broke. */
  onClosed(code: number): void;
}

/**
 * Prepared frames go to the TCP socket itself, which the `upgrade` event hands over. That keeps its order with
 * what `ws` writes (pongs, closes) only because `ws` writes at once: it must not compress.
 */
class WsFrameSocket implements FrameSocket {
  private readonly webSocket: WebSocket;
  private readonly wire: Duplex;

  constructor(webSocket: WebSocket, wire: Duplex) {
    this.webSocket = webSocket;
    this.wire = wire;
  }

  write(frames: Buffer): void {
    if (this.webSocket.readyState === WebSocket.OPEN) this.wire.write(frames);
  }

  get bufferedBytes(): number {
    return this.wire.writableLength;
  }

  pause(): void {
    this.webSocket.pause();
  }

  resume(): void {
    this.webSocket.resume();
  }

  close(why: CloseSpec): void {
    this.webSocket.close(why.code, why.reason);
    // A paused socket would never see the peer's answer.
    this.webSocket.resume();
  }

  terminate(): void {
    this.webSocket.terminate();
  }
}

/** `ws` reports when a connection has closed, which may be seconds after the peer's close frame. */
class ClosingWebSocket extends WebSocket {
  /** Called by `ws` itself when the peer's close frame arrives: later writes are dropped. */
  override close(code?: number, reason?: string | Buffer): void {
    if (this.readyState === WebSocket.OPEN) this.emit('closing');
    super.close(code, reason);
  }
}

export interface WsListener {
  /** Takes over the socket of an `upgrade` request from a client with an address, and refuses a bad handshake on it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, address: string): void;
}

/** The only file that imports `ws`. */
export const createWsListener = (
  closeGraceMs: number,
  accept: (socket: FrameSocket, address: string) => FrameReceiver,
): WsListener => {
  // `closeTimeout` is documented by ws and missing in its types.
  const options: ServerOptions<typeof ClosingWebSocket> & { readonly closeTimeout: number } = {
    WebSocket: ClosingWebSocket,
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: maxFrameBytes,
    // A frame of 1 MiB arrives in 16 chunks, or in thousands from a client that sends in small pieces.
    maxFragments: 1_024,
    maxBufferedChunks: 16_384,
    closeTimeout: closeGraceMs,
  };
  const server = new WebSocketServer(options);
  return {
    upgrade: (request, socket, head, address) =>
      server.handleUpgrade(request, socket, head, (webSocket) =>
        connect(
          webSocket,
          (frameSocket) => accept(frameSocket, address),
          new WsFrameSocket(webSocket, socket),
        ),
      ),
  };
};

const connect = (
  webSocket: WebSocket,
  accept: (socket: FrameSocket) => FrameReceiver,
  socket: FrameSocket,
): void => {
  // First, because an error without a listener ends the process. `ws` closes the connection itself.
  webSocket.on('error', () => undefined);
  const receiver = accept(socket);
  webSocket.on('message', (data, isBinary) => receiver.onFrame(data as Buffer, !isBinary));
  webSocket.on('ping', () => receiver.onSignOfLife());
  webSocket.on('pong', () => receiver.onSignOfLife());
  webSocket.on('closing', () => receiver.onClosing());
  webSocket.on('close', (code) => receiver.onClosed(code));
};
