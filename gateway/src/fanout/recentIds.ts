/** Ids, of which the older part is forgotten at times. */
export class AgingIds {
  private recent = new Set<string>();
  private former = new Set<string>();
  private readonly added: (recent: number) => void;

  /** `added` is called after each new id, with how many there are since the last `age`. */
  constructor(added: (recent: number) => void) {
    this.added = added;
  }

  /** Remembers the id and returns whether it was here before. */
  isRepeated(id: string): boolean {
    if (this.recent.has(id) || this.former.has(id)) return true;
    this.recent.add(id);
    this.added(this.recent.size);
    return false;
  }

  /** Forgets those from before the last time. */
  age(): void {
    this.former = this.recent;
    this.recent = new Set();
  }
}

/** The most recent ids: at least the given number, at most twice as many. */
export class RecentIds extends AgingIds {
  constructor(atLeast: number) {
    super((recent) => {
      if (recent === atLeast) this.age();
    });
  }
}
