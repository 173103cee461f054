const maxKeys = 10_000;

/**
 * What has changed lately, by key, so that a reader learns whether something that it depends on changed while it read. A change of
 * one key says nothing about others: those of one tenant make no other tenant read again.
 */
export class RecentChanges {
  private readonly max: number;
  private count = 0;
  /** The number of the last change of each key, that of the latest last. */
  private readonly numbers = new Map<string, number>();
  /** The last change of which the key is not known any more. */
  private lastForgotten = 0;

  constructor(max = maxKeys) {
    this.max = max;
  }

  /** To be noted before a read. */
  get latest(): number {
    return this.count;
  }

  add(key: string): void {
    this.numbers.delete(key);
    this.numbers.set(key, ++this.count);
    if (this.numbers.size > this.max) this.forgetOldest();
  }

  /** Everything may have changed. */
  addAll(): void {
    this.numbers.clear();
    this.lastForgotten = ++this.count;
  }

  /** Whether one of the keys, where there is one, has changed after `noted`; true as well where that was too long ago to tell. */
  haveTouched(keys: readonly (string | null | undefined)[], noted: number): boolean {
    return (
      noted < this.lastForgotten || keys.some((key) => typeof key === 'string' && this.numberOf(key) > noted)
    );
  }

  private numberOf(key: string): number {
    return this.numbers.get(key) ?? 0;
  }

  private forgetOldest(): void {
    const [key, number] = this.numbers.entries().next().value as [string, number];
    this.numbers.delete(key);
    this.lastForgotten = number;
  }
}
