import type { Buffer } from 'node:buffer';

/** A frame about a room, encoded once for each name that clients have for the room. */
export class FramesByName<Name extends string | undefined> {
  private readonly encode: (name: Name) => Buffer;
  private readonly frames = new Map<Name, Buffer>();

  constructor(encode: (name: Name) => Buffer) {
    this.encode = encode;
  }

  of(name: Name): Buffer {
    const known = this.frames.get(name);
    if (known !== undefined) return known;
    const frame = this.encode(name);
    this.frames.set(name, frame);
    return frame;
  }
}
