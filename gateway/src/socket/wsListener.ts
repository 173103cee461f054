import type { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { CloseSpec } from '@roomwire/shared/wire/protocol/protocolErrors';
import { WebSocket, WebSocketServer, type ServerOptions } from 'ws';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';

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
  /** From now on a message beyond closes the connection with 1009. Whether the one that has begun is within. */
  bound(bounds: MessageBounds): boolean;
  /** Whether the first fragment of a message has begun, and its last one has not been read. */
  readonly isAmidFragments: boolean;
  /** Reports the bytes of each read, whole frames or not, from the next one on, until the returned function is called. */
  onRead(report: (bytes: number) => void): () => void;
}

/** How much of a message a socket takes in before the whole of it is there. */
export interface MessageBounds {
  readonly bytes: number;
  /** In how many pieces the network may deliver one frame: each of them costs memory of its own. */
  readonly chunks: number;
}

/** Callbacks of a socket. `onClosed` is the last one. */
export interface FrameReceiver {
  /** A complete frame. The bytes are the receiver's for the duration of the call and as long as it holds them. */
  onFrame(bytes: Buffer, isText: boolean): void;
  /** A ping or a pong: a sign of life, already answered. */
  onSignOfLife(): void;
  /** The peer closes: what is written within the call is still sent, and nothing after it. Not always called. */
  onClosing(): void;
  /** With the code of the peer's close, or of the frame that could not be accepted; 1005 for none, 1006 where the connection broke. */
  onClosed(code: number): void;
}

const { frameBytes, frameBytesBeforeAuth, chunks, chunksBeforeAuth } = limitTable;

/** Until an `auth` has arrived: those of every new connection. */
export const strangersBounds: MessageBounds = {
  bytes: frameBytesBeforeAuth.value,
  chunks: chunksBeforeAuth.value,
};

export const clientsBounds: MessageBounds = { bytes: frameBytes.value, chunks: chunks.value };

/**
 * Internals of `ws`, which has no interface for bounds that change, nor for a message that has begun. The tests of this
 * file fail when a new version of it has others.
 */
interface ReceiverState {
  _maxPayload: number;
  _maxBufferedChunks: number;
  /** Of the message that has begun, as far as its frames have declared it. */
  readonly _totalPayloadLength: number;
  /** The opcode of the message whose fragments are being read, or 0. */
  readonly _fragmented: number;
}

const receiverOf = (webSocket: WebSocket): ReceiverState =>
  (webSocket as unknown as { readonly _receiver: ReceiverState })._receiver;

/** Of the WebSocket layer, which gives no reason. */
export const messageTooBig: CloseSpec = { code: 1009, reason: '' };

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

  bound({ bytes, chunks }: MessageBounds): boolean {
    const receiver = receiverOf(this.webSocket);
    receiver._maxPayload = bytes;
    receiver._maxBufferedChunks = chunks;
    return receiver._totalPayloadLength <= bytes;
  }

  get isAmidFragments(): boolean {
    return receiverOf(this.webSocket)._fragmented !== 0;
  }

  onRead(report: (bytes: number) => void): () => void {
    const onData = ({ length }: Buffer) => report(length);
    this.wire.on('data', onData);
    return () => void this.wire.off('data', onData);
  }
}

/** `ws` reports when a connection has closed, which may be seconds after the peer's close frame. */
class ClosingWebSocket extends WebSocket {
  /** The code of the first close, from either side. */
  closingCode: number | undefined;

  /** Called by `ws` itself when the peer's close frame arrives, or a frame that it refuses: later writes are dropped. */
  override close(code?: number, reason?: string | Buffer): void {
    this.closingCode ??= code;
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
    maxPayload: strangersBounds.bytes,
    maxBufferedChunks: strangersBounds.chunks,
    maxFragments: limitTable.fragments.value,
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
  webSocket: ClosingWebSocket,
  accept: (socket: FrameSocket) => FrameReceiver,
  socket: FrameSocket,
): void => {
  let refusal: number | undefined;
  // First, because an error without a listener ends the process. `ws` closes the connection itself, and does not read the
  // peer's answer any more: its own code is what is known of the end.
  webSocket.on('error', () => (refusal = webSocket.closingCode));
  const receiver = accept(socket);
  webSocket.on('message', (data, isBinary) => receiver.onFrame(data as Buffer, !isBinary));
  webSocket.on('ping', () => receiver.onSignOfLife());
  webSocket.on('pong', () => receiver.onSignOfLife());
  webSocket.on('closing', () => receiver.onClosing());
  webSocket.on('close', (code) => receiver.onClosed(refusal ?? code));
};
