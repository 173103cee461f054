/** Values in the order in which they came; a reader waits for the next one, so that none is missed. */
export class Queue<T> {
  private readonly values: T[] = [];
  private readonly readers: ((value: T) => void)[] = [];

  get length(): number {
    return this.values.length;
  }

  push(value: T): void {
    const reader = this.readers.shift();
    if (reader === undefined) this.values.push(value);
    else reader(value);
  }

  next(): Promise<T> {
    if (this.values.length > 0) return Promise.resolve(this.values.shift() as T);
    return new Promise((resolve) => this.readers.push(resolve));
  }

  /** Passes over the values before the first that fits. */
  async until<S extends T>(fits: (value: T) => value is S): Promise<S>;
  async until(fits: (value: T) => boolean): Promise<T>;
  async until(fits: (value: T) => boolean): Promise<T> {
    for (;;) {
      const value = await this.next();
      if (fits(value)) return value;
    }
  }
}
