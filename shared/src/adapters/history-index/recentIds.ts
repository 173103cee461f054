/** The ids of a topic's newest messages. */
export class RecentIds {
  private readonly ids = new Set<string>();
  private readonly limit: number;

  constructor(ids: Iterable<string> = [], limit = 1_000) {
    this.limit = limit;
    for (const id of ids) this.add(id);
  }

  get size(): number {
    return this.ids.size;
  }

  /** The oldest of them first. */
  newest(count: number): readonly string[] {
    return [...this.ids].slice(-count);
  }

  has(id: string): boolean {
    return this.ids.has(id);
  }

  add(id: string): void {
    this.ids.add(id);
    if (this.ids.size <= this.limit) return;
    for (const oldest of this.ids) {
      this.ids.delete(oldest);
      return;
    }
  }
}
