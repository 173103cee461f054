import { inLaterTurn } from '@roomwire/shared/runtime/workSlices';
import { FramePath } from './framePath.js';
import { LaterCalls } from './turns.js';

export interface Flushable {
  /** Whether something is queued that may wait for a later turn, and nothing else. */
  readonly mayWait: boolean;
  /** Whether it has more than is written in one go, which counts as something that waits from now on. */
  keepsMuch(): boolean;
  /** Writes what there is, of much a part. Returns whether nothing is left. */
  flush(): boolean;
}

/** How long those with much are written to, one part after the other, in one turn of the event loop. */
const muchMs = 1;

/** Sockets that are written to in one turn where they may wait. The system takes some 2 ms for so many. */
export const writtenInATurn = 256;

/**
 * Collects the frames of all sockets in one turn of the event loop and writes them at its end, once per socket. No timer is
 * involved: a message waits only for reads that are already pending. To sockets that are to get much it is written in parts, in later
 * turns, so that megabytes hold up nobody else, and likewise to the very many sockets that are to get the same.
 */
export class Tick {
  private readonly onWritten: (ms: number) => void;
  private root = new FramePath();
  private waiting: Flushable[] = [];
  private readonly withMuch = new Set<Flushable>();
  private readonly parts = new LaterCalls(muchMs);
  /** Those that may wait: they are written to when all of this round have been. */
  private later: Flushable[] = [];
  private laterRoot = new FramePath();
  private round: readonly Flushable[] = [];
  private inRound = 0;

  /** `onWritten` is told how long it took to write at the end of a turn. */
  constructor(onWritten: (ms: number) => void = () => undefined) {
    this.onWritten = onWritten;
  }

  /** Flushes the outbox at the end of this tick. Returns the empty sequence. */
  enlist(outbox: Flushable): FramePath {
    if (this.waiting.length === 0) setImmediate(this.end);
    this.waiting.push(outbox);
    return this.root;
  }

  /** Flushes the outbox in a later turn, if it may wait until then. Returns the empty sequence. */
  enlistLater(outbox: Flushable): FramePath {
    if (this.later.length === 0 && this.round.length === 0) inLaterTurn(this.flushSlice);
    this.later.push(outbox);
    return this.laterRoot;
  }

  private readonly end = (): void => {
    const ending = this.waiting;
    this.waiting = [];
    this.root = new FramePath();
    const begin = performance.now();
    for (const outbox of ending) this.write(outbox);
    this.onWritten(performance.now() - begin);
  };

  private readonly flushSlice = (): void => {
    if (this.round.length === 0) this.beginRound();
    const { round } = this;
    for (let written = 0; this.inRound < round.length && written < writtenInATurn;) {
      const outbox = round[this.inRound++] as Flushable;
      // Otherwise it has been written to since.
      if (!outbox.mayWait) continue;
      this.write(outbox);
      written += 1;
    }
    if (this.inRound === round.length) this.round = [];
    if (this.round.length + this.later.length > 0) inLaterTurn(this.flushSlice);
  };

  private beginRound(): void {
    this.round = this.later;
    this.inRound = 0;
    this.later = [];
    this.laterRoot = new FramePath();
  }

  private write(outbox: Flushable): void {
    if (outbox.keepsMuch()) this.writeInParts(outbox);
    else outbox.flush();
  }

  private writeInParts(outbox: Flushable): void {
    if (this.withMuch.has(outbox)) return;
    this.withMuch.add(outbox);
    const writePart = (): void => {
      if (outbox.flush()) this.withMuch.delete(outbox);
      else this.parts.add(writePart);
    };
    this.parts.add(writePart);
  }
}
