/** Begins things one after another by key, in the order in which they were asked for, each when what it needs is there. */
export class Turns {
  /** Resolves when the last one has begun, or will not. */
  private readonly last = new Map<string, Promise<void>>();

  /** Rejects with `needed`, or with `act`; those behind it go on. */
  take<N, T>(key: string, needed: Promise<N>, act: (value: N) => Promise<T>): Promise<T> {
    const before = this.last.get(key) ?? Promise.resolve();
    // It is not waited for before its turn has come, and may be lost by then.
    needed.catch(() => undefined);
    let acting: Promise<T> | undefined;
    const begun = before
      .then(() => needed)
      .then(
        (value) => void (acting = act(value)),
        (error: unknown) => void (acting = Promise.reject(error as Error)),
      );
    this.last.set(key, begun);
    return begun.then(() => {
      if (this.last.get(key) === begun) this.last.delete(key);
      return acting as Promise<T>;
    });
  }
}
