/** What was used least recently goes first, where all of it together is too heavy. */
export class WeightedCache<T> {
  private readonly entries = new Map<string, { readonly value: T; readonly weight: number }>();
  private readonly limit: number;
  private weight = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** It is not in the cache from then on. */
  take(key: string): T | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    this.entries.delete(key);
    this.weight -= entry.weight;
    return entry.value;
  }

  put(key: string, value: T, weight: number): void {
    this.take(key);
    this.entries.set(key, { value, weight });
    this.weight += weight;
    for (const oldest of this.entries.keys()) {
      if (this.weight <= this.limit) return;
      this.take(oldest);
    }
  }
}
