/** Lets so many run at once; the others wait, in the order in which they came. */
export class Turns {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  /** Throws for what is no number of one or more. */
  constructor(atOnce = Infinity) {
    if (!(atOnce >= 1)) throw new TypeError('concurrency must be 1 or more');
    this.free = Math.floor(atOnce);
  }

  /** Begins at once, up to its first await, where there is room. */
  async take(action: () => void | Promise<void>): Promise<void> {
    if (this.free === 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.free -= 1;
    try {
      await action();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free += 1;
      else next();
    }
  }
}
