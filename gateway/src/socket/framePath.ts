import { Buffer } from 'node:buffer';
import type { WrittenBytes } from './outboxMemory.js';

/** More takes the system milliseconds to take over; nearly all sequences are far shorter. */
export const muchBytes = 256 * 1024;

/** Of much, frames of more bytes are written as they are: they cost more to copy than to write apart. */
const copiedBytes = 64 * 1024;

/**
 * A sequence of frames, as a node in the tree of all sequences of one tick. Sockets with the same sequence share a
 * node, so that its small frames are concatenated once for all of them, and a delivery costs a comparison and a pointer.
 */
export class FramePath implements WrittenBytes {
  /** Bytes of the whole sequence. */
  readonly size: number;
  readers = 0;
  countedFor: WrittenBytes['countedFor'];
  private readonly parent: FramePath | undefined;
  private readonly frame: Buffer | undefined;
  private lastChild: FramePath | undefined;
  private joined: readonly Buffer[] | undefined;

  constructor(parent?: FramePath, frame?: Buffer) {
    this.parent = parent;
    this.frame = frame;
    this.size = (parent?.size ?? 0) + (frame?.length ?? 0);
  }

  /** The sequence with one more frame. A frame is pushed to all its sockets in one loop: comparing the last child is enough. */
  then(frame: Buffer): FramePath {
    if (this.lastChild?.frame === frame) return this.lastChild;
    this.lastChild = new FramePath(this, frame);
    return this.lastChild;
  }

  /** The bytes of the sequence: one buffer, unless there is much. */
  pieces(): readonly Buffer[] {
    return (this.joined ??= this.size > muchBytes ? piecesOf(this) : [joinedFrames(this)]);
  }

  /** Undefined for the empty sequence. */
  get last(): Buffer | undefined {
    return this.frame;
  }

  /** The sequence without its last frame. */
  get before(): FramePath | undefined {
    return this.parent;
  }
}

const joinedFrames = (path: FramePath): Buffer => {
  if (path.last?.length === path.size) return path.last;
  const joined = Buffer.allocUnsafeSlow(path.size);
  let end = path.size;
  for (let at: FramePath | undefined = path; at?.last !== undefined; at = at.before) {
    end -= at.last.length;
    joined.set(at.last, end);
  }
  return joined;
};

/** Of a long sequence: its large frames, and what is between them. */
const piecesOf = (path: FramePath): readonly Buffer[] => {
  const frames: Buffer[] = [];
  for (let at: FramePath | undefined = path; at?.last !== undefined; at = at.before) frames.push(at.last);
  const pieces: Buffer[] = [];
  let small: Buffer[] = [];
  let smallBytes = 0;
  const endSmall = (): void => {
    if (small.length > 0) pieces.push(Buffer.concat(small));
    [small, smallBytes] = [[], 0];
  };
  for (const frame of frames.reverse()) {
    if (frame.length > copiedBytes || smallBytes + frame.length > muchBytes) endSmall();
    if (frame.length > copiedBytes) {
      pieces.push(frame);
    } else {
      small.push(frame);
      smallBytes += frame.length;
    }
  }
  endSmall();
  return pieces;
};
