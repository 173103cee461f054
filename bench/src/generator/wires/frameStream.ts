import { Buffer } from 'node:buffer';

type Take = (chunk: Buffer, from: number, to: number) => void;

/** Takes the headers of a server's frames out of its bytes; what is left is given on piece by piece, in place. */
export class FrameStream {
  readonly #take: Take;
  readonly #header = Buffer.alloc(10);
  #gathered = 0;
  #left = 0;

  constructor(take: Take) {
    this.#take = take;
  }

  walk(chunk: Buffer, end: number): void {
    let at = 0;
    while (at < end) {
      if (this.#left > 0) {
        const to = Math.min(end, at + this.#left);
        this.#take(chunk, at, to);
        this.#left -= to - at;
        at = to;
      } else {
        this.#gather(chunk[at] as number);
        at += 1;
      }
    }
  }

  #gather(byte: number): void {
    const header = this.#header;
    header[this.#gathered] = byte;
    this.#gathered += 1;
    if (this.#gathered < 2) return;
    const short = header[1] as number;
    if (this.#gathered < (short < 126 ? 2 : short === 126 ? 4 : 10)) return;
    this.#left = short < 126 ? short : short === 126 ? header.readUInt16BE(2) : header.readUInt32BE(6);
    this.#gathered = 0;
  }
}
