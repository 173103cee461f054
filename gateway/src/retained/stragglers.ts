/**
 * Retained messages that are known and have not come live yet, by topic. Those that have not come within a grace, or at
 * most twice as long, are reported. One timer for all of them, and none while there are none.
 */
export class Stragglers {
  private readonly graceMs: number;
  private readonly onMissing: (topic: string, stamp: string) => void;
  private expected = new Map<string, string>();
  private overdue = new Map<string, string>();
  private timer: NodeJS.Timeout | undefined;
  private isOpen = true;

  constructor(graceMs: number, onMissing: (topic: string, stamp: string) => void) {
    this.graceMs = graceMs;
    this.onMissing = onMissing;
  }

  expect(topic: string, stamp: string): void {
    this.overdue.delete(topic);
    this.expected.set(topic, stamp);
    this.schedule();
  }

  /** Live, and so are those before it that will ever come. */
  arrived(topic: string, stamp: string): void {
    for (const stamps of [this.expected, this.overdue]) {
      const missing = stamps.get(topic);
      if (missing !== undefined && missing <= stamp) stamps.delete(topic);
    }
  }

  close(): void {
    this.isOpen = false;
    clearTimeout(this.timer);
  }

  private schedule(): void {
    if (this.isOpen) this.timer ??= setTimeout(this.look, this.graceMs).unref();
  }

  private readonly look = (): void => {
    this.timer = undefined;
    const missing = this.overdue;
    this.overdue = this.expected;
    this.expected = new Map();
    if (this.overdue.size > 0) this.schedule();
    for (const [topic, stamp] of missing) this.onMissing(topic, stamp);
  };
}
