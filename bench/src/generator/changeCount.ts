import type { Buffer } from 'node:buffer';
import type { Receiver } from './connection.js';
import type { Login } from './jobs.js';
import type { Walker } from './wires/wire.js';
import { wireOf } from './wires/wireOf.js';

/** Counts the frames that tell somebody of a change. */
export class ChangeCount implements Receiver {
  changes = 0;
  afterChunk: (() => void) | undefined;
  readonly #walker: Walker;

  constructor(login: Login) {
    const { opcode, walker } = wireOf(login).layout;
    this.#walker = walker({
      onFrame: (given) => {
        if (given !== opcode) throw new Error(`A frame of opcode ${given} besides changes`);
        this.changes += 1;
      },
    });
  }

  receive(chunk: Buffer, end: number): void {
    this.#walker.walk(chunk, end);
    this.afterChunk?.();
  }
}
