/** The ids that came last: so many at least, and never more than twice as many. */
export class RecentIds {
  private readonly atLeast: number;
  private recent = new Set<string>();
  private former = new Set<string>();

  constructor(atLeast: number) {
    this.atLeast = atLeast;
  }

  /** Whether it was here before. Remembers it. */
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
