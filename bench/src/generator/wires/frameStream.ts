import { Buffer } from 'node:buffer';

type Take = (chunk: Buffer, from: number, to: number) => void;

/** Takes the headers of a server's frames out of its bytes; what is left is given on piece by piece, in place. */
export class FrameStream {
  private readonly take: Take;
  private readonly endFrame: () => void;
  private readonly header = Buffer.alloc(10);
  private gathered = 0;
  private left = 0;

  constructor(take: Take, endFrame: () => void = () => undefined) {
    this.take = take;
    this.endFrame = endFrame;
  }

  walk(chunk: Buffer, end: number): void {
    let at = 0;
    while (at < end) {
      if (this.left > 0) {
        const to = Math.min(end, at + this.left);
        this.take(chunk, at, to);
        this.left -= to - at;
        at = to;
        if (this.left === 0) this.endFrame();
      } else {
        this.gather(chunk[at] as number);
        at += 1;
      }
    }
  }

  private gather(byte: number): void {
    const header = this.header;
    header[this.gathered] = byte;
    this.gathered += 1;
    if (this.gathered < 2) return;
    const short = header[1] as number;
    if (this.gathered < (short < 126 ? 2 : short === 126 ? 4 : 10)) return;
    this.left = short < 126 ? short : short === 126 ? header.readUInt16BE(2) : header.readUInt32BE(6);
    this.gathered = 0;
  }
}
