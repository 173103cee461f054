import { inLaterTurn } from '@roomwire/shared/runtime/workSlices';

/** How long the frames of one connection may be handled in one turn of the event loop. */
const usualShareMs = 1;

/** The same where what comes of them takes long to write. */
const mostShareMs = 4;

/** How long those of all connections that had more than their share may be handled in a turn. */
const backlogMs = 1.5;

/** Functions that are called in order in later turns of the event loop: of one kind, for so many milliseconds in a turn. */
export class LaterCalls {
  private readonly ms: number;
  private waiting: (() => void)[] = [];

  constructor(ms: number) {
    this.ms = ms;
  }

  add(call: () => void): void {
    if (this.waiting.length === 0) inLaterTurn(this.takeTurn);
    this.waiting.push(call);
  }

  private readonly takeTurn = (): void => {
    const due = this.waiting;
    this.waiting = [];
    const until = performance.now() + this.ms;
    let called = 0;
    do due[called++]?.();
    while (called < due.length && performance.now() < until);
    const left = due.slice(called);
    // Otherwise one of those that were called waits again, and there will be a turn.
    if (left.length > 0 && this.waiting.length === 0) inLaterTurn(this.takeTurn);
    this.waiting = [...left, ...this.waiting];
  };
}

/**
 * The turns of the event loop. A connection that had its share of a turn goes on in a later one, behind others that wait so:
 * meanwhile sockets are read, and whoever sends less is served at once.
 */
export class Turns {
  private readonly leastShareMs: number;
  private currentShareMs: number;
  private turn = 0;
  private hasBegun = false;
  private readonly backlog = new LaterCalls(backlogMs);

  constructor(leastShareMs = usualShareMs) {
    this.leastShareMs = leastShareMs;
    this.currentShareMs = leastShareMs;
  }

  /** How long a connection may take in this turn. */
  get shareMs(): number {
    return this.currentShareMs;
  }

  /**
   * What was queued for sockets has been written, which took so long. It takes nearly as long for one message each as for many: smaller
   * shares would make more such turns, and each of them no shorter.
   */
  wrote(ms: number): void {
    this.currentShareMs = Math.max(this.currentShareMs, Math.min(ms, mostShareMs));
  }

  /** The number of this turn. */
  get current(): number {
    if (!this.hasBegun) {
      this.hasBegun = true;
      setImmediate(this.end);
    }
    return this.turn;
  }

  /** Calls a function in a later turn. */
  later(goOn: () => void): void {
    this.backlog.add(goOn);
  }

  private readonly end = (): void => {
    this.hasBegun = false;
    this.turn++;
    this.currentShareMs = Math.max(this.currentShareMs / 2, this.leastShareMs);
  };
}

/** The share of one connection. */
export class Share {
  private readonly turns: Turns;
  private turn = -1;
  private since = 0;

  constructor(turns: Turns) {
    this.turns = turns;
  }

  /** Whether it has been used up in this turn, which for the connection begins with the first call. */
  isUsedUp(): boolean {
    const turn = this.turns.current;
    if (turn === this.turn) return performance.now() - this.since > this.turns.shareMs;
    this.turn = turn;
    this.since = performance.now();
    return false;
  }
}
