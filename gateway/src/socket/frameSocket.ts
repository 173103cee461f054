import type { Buffer } from 'node:buffer';
import type { CloseSpec } from '@roomwire/shared/wire/protocol/closes';

/** All that the gateway sees of a WebSocket. */
export interface FrameSocket {
  /** One or more complete WebSocket frames. Does nothing once the socket is closing. */
  write(frames: Buffer): void;
  /** What has been written and the peer has not taken yet. */
  readonly bufferedBytes: number;
  /** Stops reading. A few frames that had already been read may still come. */
  pause(): void;
  resume(): void;
  /** Begins the closing handshake; a peer that does not answer is cut off after the grace. */
  close(why: CloseSpec): void;
  terminate(): void;
}

/** What a socket reports. Nothing comes after `onClosed`. */
export interface FrameReceiver {
  /** A complete frame. The bytes are the receiver's for the duration of the call and as long as it holds them. */
  onFrame(bytes: Buffer, isText: boolean): void;
  /** A ping or a pong: a sign of life, already answered. */
  onSignOfLife(): void;
  /** The peer has said that it closes: what is written within the call still goes out, and nothing after it. Not always told. */
  onClosing(): void;
  /** With the code of the peer's close; 1005 for one without, 1006 where the connection broke off. */
  onClosed(code: number): void;
}
