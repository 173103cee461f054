/** All that the client knows of a WebSocket, in whatever environment. */
export interface ClientSocket {
  /** Only after `onOpen`. On a socket that is closing the bytes are lost, `onClose` follows. */
  send(bytes: Uint8Array<ArrayBuffer>): void;
  /** Closing handshake with code 1000; `onClose` follows, but perhaps late or never when the peer is gone. */
  close(): void;
  /** Lets go at once; events may still follow. */
  abandon(): void;
}

export interface SocketEnd {
  /** 1006 when there was no closing handshake. */
  readonly code: number;
  readonly reason: string;
  /** What the environment knows of the failure; browsers tell nothing. */
  readonly cause?: unknown;
}

export interface SocketEvents {
  onOpen(): void;
  /** A text frame comes as a string. */
  onFrame(frame: Uint8Array | string): void;
  /** Once, the last event. */
  onClose(end: SocketEnd): void;
}

/** Throws for an address that is no WebSocket address; every other failure ends in `onClose`. */
export type OpenSocket = (url: string, events: SocketEvents) => ClientSocket;
