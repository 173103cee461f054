/** Things that take time to open, and of which there is one by name as long as it is needed. */
export class OpenByName<T extends { close(): Promise<void> }> {
  readonly #opening = new Map<string, Promise<T>>();
  readonly #opened = new Map<string, T>();

  /**
   * What is open, or being opened. Whoever uses it at once finds it open: one that is to be closed is no longer handed
   * out.
   */
  async get(name: string, open: () => Promise<T>): Promise<T> {
    for (;;) {
      const opening = this.#opening.get(name) ?? this.#open(name, open);
      const thing = await opening;
      if (this.#opened.get(name) === thing) return thing;
    }
  }

  opened(): [string, T][] {
    return [...this.#opened];
  }

  async closeOne(name: string): Promise<void> {
    const thing = this.#opened.get(name);
    this.#opening.delete(name);
    this.#opened.delete(name);
    await thing?.close();
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#opening.values());
    await Promise.all([...this.#opened.keys()].map((name) => this.closeOne(name)));
  }

  #open(name: string, open: () => Promise<T>): Promise<T> {
    const opening = open();
    this.#opening.set(name, opening);
    opening.then(
      (thing) => this.#opened.set(name, thing),
      () => this.#opening.delete(name),
    );
    return opening;
  }
}
