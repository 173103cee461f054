import { inLaterTurn } from '@roomwire/shared/runtime/workSlices';

/** How long the frames of one connection may be handled in one turn of the event loop. */
const usualShareMs = 1;

/** How long those of all connections that had more than their share may be handled in a turn. */
const backlogMs = 3;

/** Takes the first item, and as many more as there is time for. Returns the others. */
export const takeFor = <T>(ms: number, items: readonly T[], take: (item: T) => void): T[] => {
  const until = performance.now() + ms;
  let taken = 0;
  for (const item of items) {
    if (taken > 0 && performance.now() >= until) break;
    taken += 1;
    take(item);
  }
  return items.slice(taken);
};

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
    if (this.waiting.length === 0) inLaterTurn(this.takeBacklog);
    this.waiting.push(goOn);
  }

  private readonly end = (): void => {
    this.hasBegun = false;
    this.turn++;
  };

  private readonly takeBacklog = (): void => {
    const due = this.waiting;
    this.waiting = [];
    const left = takeFor(backlogMs, due, (goOn) => goOn());
    // Otherwise one of those that were called waits again, and the backlog has its turn.
    if (left.length > 0 && this.waiting.length === 0) inLaterTurn(this.takeBacklog);
    this.waiting = [...left, ...this.waiting];
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
