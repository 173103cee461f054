import { Buffer } from 'node:buffer';

/**
 * A sequence of frames, as a node in the tree of all sequences of one tick. Sockets with the same sequence stand on the
 * same node, so that its bytes are put together once for all of them, and a delivery costs a comparison and a pointer.
 */
export class FramePath {
  /** Bytes of the whole sequence. */
  readonly size: number;
  private readonly parent: FramePath | undefined;
  private readonly frame: Buffer | undefined;
  private lastChild: FramePath | undefined;
  private joined: Buffer | undefined;

  constructor(parent?: FramePath, frame?: Buffer) {
    this.parent = parent;
    this.frame = frame;
    this.size = (parent?.size ?? 0) + (frame?.length ?? 0);
  }

  /** The sequence with one more frame. A frame goes to all its sockets in one go, so that the last child is the one. */
  then(frame: Buffer): FramePath {
    if (this.lastChild?.frame === frame) return this.lastChild;
    this.lastChild = new FramePath(this, frame);
    return this.lastChild;
  }

  bytes(): Buffer {
    return (this.joined ??= joinedFrames(this));
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
