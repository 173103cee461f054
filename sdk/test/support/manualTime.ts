import type { Schedule } from '../../src/primitives.js';

interface Timer {
  readonly delayMs: number;
  readonly action: () => void;
}

/** Timers that fire only when the test says so; each is known by its delay. */
export class ManualTime {
  private readonly timers = new Set<Timer>();
  private readonly watchers = new Set<() => void>();
  /** What the clock says; a machine that sleeps moves it without any timer. */
  nowMs = 1_785_000_000_000;

  readonly now = (): number => this.nowMs;

  readonly schedule: Schedule = (action, delayMs) => {
    const timer = { delayMs, action };
    this.timers.add(timer);
    for (const watcher of [...this.watchers]) watcher();
    return () => void this.timers.delete(timer);
  };

  get pending(): number[] {
    return [...this.timers].map(({ delayMs }) => delayMs);
  }

  /** Fires the oldest timer of this delay, as soon as there is one. */
  async pass(delayMs: number): Promise<void> {
    await this.scheduled(delayMs);
    const timer = this.find(delayMs) as Timer;
    this.timers.delete(timer);
    this.nowMs += delayMs;
    timer.action();
  }

  /** Resolves when there is a timer of this delay. */
  async scheduled(delayMs: number): Promise<void> {
    if (this.find(delayMs) !== undefined) return;
    await new Promise<void>((resolve) => {
      const watcher = (): void => {
        if (this.find(delayMs) === undefined) return;
        this.watchers.delete(watcher);
        resolve();
      };
      this.watchers.add(watcher);
    });
  }

  private find(delayMs: number): Timer | undefined {
    return [...this.timers].find((timer) => timer.delayMs === delayMs);
  }
}
