interface Swept {
  /** Called once in every sweep. */
  swept(): void;
}

/** Sweeps in the shortest time-out: its precision. */
const sweepsPerTimeout = 60;

/**
 * One timer for the time-outs of all connections. They are counted in sweeps and not by the clock, so that time in which the
 * process was suspended is nobody's silence.
 */
export class Sweeper {
  /** The number of the last sweep. */
  sweep = 0;
  private readonly periodMs: number;
  private readonly members: Iterable<Swept>;
  private timer: NodeJS.Timeout | undefined;

  constructor(shortestTimeoutMs: number, members: Iterable<Swept>) {
    this.periodMs = Math.max(1, shortestTimeoutMs / sweepsPerTimeout);
    this.members = members;
  }

  start(): void {
    this.timer = setInterval(() => this.run(), this.periodMs).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  run(): void {
    this.sweep++;
    for (const member of this.members) member.swept();
  }

  /**
   * Whether a time-out has passed for what happened before a sweep with this number. One sweep more than the time-out lasts,
   * since the first sweep may come right after.
   */
  isOver(timeoutMs: number, since: number): boolean {
    return this.sweep - since > Math.ceil(timeoutMs / this.periodMs);
  }
}
