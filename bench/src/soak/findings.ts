const shownAtMost = 20;

/** What went against the protocol, and how much of everything there was. */
export class Findings {
  readonly counts: Record<string, number> = {};
  readonly #violations: string[] = [];
  readonly #tell: (text: string) => void;
  #total = 0;

  constructor(tell: (text: string) => void) {
    this.#tell = tell;
  }

  get violations(): number {
    return this.#total;
  }

  /** The first of them. */
  get shown(): readonly string[] {
    return this.#violations;
  }

  count(what: string, many = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + many;
  }

  violated(what: string): void {
    this.#total += 1;
    if (this.#violations.length >= shownAtMost) return;
    this.#violations.push(what);
    this.#tell(`VIOLATION ${what}`);
  }
}
