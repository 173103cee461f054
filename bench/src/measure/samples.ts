const firstCapacity = 65_536;

/** Durations of one round, all of them kept, in any unit. Recording allocates only when the store doubles. */
export class Samples {
  #values = new Float64Array(firstCapacity);
  #count = 0;
  #isSorted = false;

  get count(): number {
    return this.#count;
  }

  record(value: number): void {
    if (this.#count === this.#values.length) this.#grow();
    this.#values[this.#count] = value;
    this.#count += 1;
    this.#isSorted = false;
  }

  clear(): void {
    this.#count = 0;
  }

  /** The smallest sample that is at least as large as `percent` of all (nearest rank); NaN when there are none. */
  percentile(percent: number): number {
    if (this.#count === 0) return Number.NaN;
    const sorted = this.#sorted();
    const rank = Math.ceil((percent / 100) * this.#count);
    return sorted[Math.min(Math.max(rank, 1), this.#count) - 1] ?? Number.NaN;
  }

  #sorted(): Float64Array {
    const recorded = this.#values.subarray(0, this.#count);
    if (!this.#isSorted) recorded.sort();
    this.#isSorted = true;
    return recorded;
  }

  #grow(): void {
    const larger = new Float64Array(this.#values.length * 2);
    larger.set(this.#values);
    this.#values = larger;
  }
}
