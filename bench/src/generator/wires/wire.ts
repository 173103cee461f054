import type { Buffer } from 'node:buffer';
import type { Connection } from '../connection.js';
import { type FrameSink, FrameWalker, stampFromEnd } from '../frames.js';

/** Who connects, and for what. */
interface Seat {
  readonly port: number;
  /** Of all subscribers; each may have credentials of its own. */
  readonly index: number;
  readonly topic: string;
  readonly filter?: string | undefined;
  /** Of several in a group one gets each message. */
  readonly group?: string | undefined;
  /** Whether each message says who sent it, when, and under which id; only Roomwire knows it. */
  readonly meta?: boolean | undefined;
}

/** Finds the deliveries in what a server sends. */
export interface Walker {
  /** Where in a delivery the stamp begins, in bytes before its end; 0 looks for none. */
  stampFromEnd: number;
  walk(chunk: Buffer, end: number): void;
}

/** How a delivery looks on its way to a subscriber. */
export interface Layout {
  readonly opcode: number;
  readonly stampFromEnd: number;
  /** The moment that the eight bytes say, which the walker has read as a double. */
  readonly momentOf: (raw: number) => number;
  readonly walker: (sink: FrameSink) => Walker;
}

/** What a peer speaks. The load is the same for all. */
export interface Wire {
  readonly layout: Layout;
  /** A connection that gets every message of the topic, and may publish to it. */
  subscriber(seat: Seat): Promise<Connection>;
  /** A connection that publishes, and gets nothing. */
  publisher(port: number): Promise<Connection>;
  publishFrame(topic: string, filter?: string): Buffer;
  /** A copy that carries the moment at which it was meant to be sent. */
  stamped(frame: Buffer, moment: number): Buffer;
  /** Whether those who publish to what they subscribe to get that, too. */
  readonly echoes?: true;
  /** Whether a frame says that publishes were accepted; absent where nobody is told. */
  isAnswer?(frame: unknown): boolean;
}

/** A delivery is a binary frame that ends with the data. */
export const binaryLayout: Layout = {
  opcode: 2,
  stampFromEnd,
  momentOf: (raw) => raw,
  walker: (sink) => new FrameWalker(sink),
};
