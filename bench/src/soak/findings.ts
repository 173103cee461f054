const shownAtMost = 20;

/** What went against the protocol, and how much of everything there was. */
export class Findings {
  readonly counts: Record<string, number> = {};
  private readonly shownViolations: string[] = [];
  private readonly tell: (text: string) => void;
  private total = 0;

  constructor(tell: (text: string) => void) {
    this.tell = tell;
  }

  get violations(): number {
    return this.total;
  }

  /** The first of them. */
  get shown(): readonly string[] {
    return this.shownViolations;
  }

  /** The first violations, and how many there were where those are not all. */
  get failures(): readonly string[] {
    const more = this.total > this.shownViolations.length ? [`${this.total} violations in all`] : [];
    return [...this.shownViolations, ...more];
  }

  /** What was never counted of all this: a soak in which something never happened has not looked at it. */
  missing(mustHappen: readonly string[]): readonly string[] {
    return mustHappen
      .filter((what) => this.counts[what] === undefined)
      .map((what) => `there were no ${what}`);
  }

  count(what: string, many = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + many;
  }

  violated(what: string): void {
    this.total += 1;
    if (this.shownViolations.length >= shownAtMost) return;
    this.shownViolations.push(what);
    this.tell(`VIOLATION ${what}`);
  }
}
