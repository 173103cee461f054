interface Return {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

/** Who waits for records of its own to come back from the bus, by their numbers. */
export class Returns {
  private readonly patienceMs: number;
  private readonly expected = new Map<number, Return>();

  /** A stored record comes back within this time, or is lost on its way back and found missing later. */
  constructor(patienceMs: number) {
    this.patienceMs = patienceMs;
  }

  expect(sequence: number): void {
    let resolve!: () => void;
    const promise = new Promise<void>((settle) => (resolve = settle));
    this.expected.set(sequence, { promise, resolve });
  }

  came(sequence: number): void {
    this.expected.get(sequence)?.resolve();
    this.expected.delete(sequence);
  }

  /** Resolves when the record has come back, at once where it has already, and at the latest after a while. */
  async of(sequence: number): Promise<void> {
    const waiting = this.expected.get(sequence);
    if (waiting === undefined) return;
    const timer = setTimeout(() => this.came(sequence), this.patienceMs).unref();
    await waiting.promise;
    clearTimeout(timer);
  }
}
