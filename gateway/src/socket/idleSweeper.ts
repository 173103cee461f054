/** What the sweeper looks after. */
export interface Sweepable {
  /** The number of the sweep in which it gave its last sign of life. */
  lastSign: number;
}

/** Sweeps in an idle time-out: how exactly the time-out is kept. */
const sweepsPerTimeout = 60;

/**
 * One timer for all connections. Silence is counted in sweeps and not by the clock: a process that was stopped for a
 * while made no sweep, and so gives its connections the time to be heard that they missed.
 */
export class IdleSweeper<T extends Sweepable> {
  /** The number of the sweep that was made last. */
  sweep = 0;
  private readonly periodMs: number;
  private readonly members: Iterable<T>;
  private readonly onSweep: (member: T, isIdle: boolean) => void;
  private timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number, members: Iterable<T>, onSweep: (member: T, isIdle: boolean) => void) {
    this.periodMs = Math.max(1, timeoutMs / sweepsPerTimeout);
    this.members = members;
    this.onSweep = onSweep;
  }

  start(): void {
    this.timer = setInterval(() => this.run(), this.periodMs).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** A whole time-out has passed only when one sweep more was made than it is long. */
  run(): void {
    this.sweep++;
    for (const member of this.members) this.onSweep(member, this.sweep - member.lastSign > sweepsPerTimeout);
  }
}
