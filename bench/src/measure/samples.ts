const firstCapacity = 65_536;

/** Durations of one round, all of them kept, in any unit. Recording allocates only when the store doubles. */
export class Samples {
  private values = new Float64Array(firstCapacity);
  private used = 0;
  private isSorted = false;

  get count(): number {
    return this.used;
  }

  record(value: number): void {
    if (this.used === this.values.length) this.grow();
    this.values[this.used] = value;
    this.used += 1;
    this.isSorted = false;
  }

  clear(): void {
    this.used = 0;
  }

  /** The smallest sample that is at least as large as `percent` of all (nearest rank); NaN when there are none. */
  percentile(percent: number): number {
    if (this.used === 0) return Number.NaN;
    const sorted = this.sorted();
    const rank = Math.ceil((percent / 100) * this.used);
    return sorted[Math.min(Math.max(rank, 1), this.used) - 1] ?? Number.NaN;
  }

  private sorted(): Float64Array {
    const recorded = this.values.subarray(0, this.used);
    if (!this.isSorted) recorded.sort();
    this.isSorted = true;
    return recorded;
  }

  private grow(): void {
    const larger = new Float64Array(this.values.length * 2);
    larger.set(this.values);
    this.values = larger;
  }
}
