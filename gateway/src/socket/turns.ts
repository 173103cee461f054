/** How long the frames of one connection may be handled in one turn of the event loop. */
const usualShareMs = 1;

/** How long those of all connections that had more than their share may be handled in a turn. */
const backlogMs = 3;

/**
 * The turns of the event loop. A connection that had its share of a turn goes on in a later one, behind others that wait so:
 * meanwhile sockets are read, and whoever sends less is served at once.
 */
export class Turns {
  readonly shareMs: number;
  private turn = 0;
  private hasBegun = false;
  private waiting: (() => void)[] = [];

  constructor(shareMs = usualShareMs) {
    this.shareMs = shareMs;
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
    this.waiting.push(goOn);
    void this.current;
  }

  private readonly end = (): void => {
    this.hasBegun = false;
    this.turn++;
    if (this.waiting.length === 0) return;
    const due = this.waiting;
    this.waiting = [];
    const until = performance.now() + backlogMs;
    let called = 0;
    do due[called++]?.();
    while (called < due.length && performance.now() < until);
    if (called < due.length) this.waiting = [...due.slice(called), ...this.waiting];
    if (this.waiting.length > 0) void this.current;
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
