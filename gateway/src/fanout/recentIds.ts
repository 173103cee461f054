/** The most recent ids: at least the given number, at most twice as many. */
export class RecentIds {
  private readonly atLeast: number;
  private recent = new Set<string>();
  private former = new Set<string>();

  constructor(atLeast: number) {
    this.atLeast = atLeast;
  }

  /** Remembers the id and returns whether it was seen before. */
  isRepeated(id: string): boolean {
    if (this.recent.has(id) || this.former.has(id)) return true;
    this.recent.add(id);
    if (this.recent.size === this.atLeast) {
      this.former = this.recent;
      this.recent = new Set();
    }
    return false;
  }
}
