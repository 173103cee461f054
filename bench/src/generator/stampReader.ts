import { Buffer } from 'node:buffer';

const stampBytes = 8;

/** Reads the eight bytes of a stamp as a double, in however many pieces they come. */
export class StampReader {
  value = 0;
  private readonly split = Buffer.alloc(stampBytes);

  /** A piece of a chunk, and how far behind its first byte the stamp begins: less than 0 where it has begun before. */
  look(chunk: Buffer, at: number, length: number, begin: number): void {
    const end = begin + stampBytes;
    if (begin >= 0 && end <= length) {
      this.value = chunk.readDoubleLE(at + begin);
    } else if (end > 0) {
      for (let index = Math.max(begin, 0); index < Math.min(end, length); index += 1)
        this.split[index - begin] = chunk[at + index] as number;
      if (end <= length) this.value = this.split.readDoubleLE(0);
    }
  }
}
