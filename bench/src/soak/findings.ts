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
