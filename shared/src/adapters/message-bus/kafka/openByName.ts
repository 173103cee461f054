/** Things that take time to open, and of which there is one by name as long as it is needed. */
export class OpenByName<T extends { close(): Promise<void> }> {
  private readonly opening = new Map<string, Promise<T>>();
  private readonly byName = new Map<string, T>();

  /**
   * What is open, or being opened. One that is about to close is no longer returned, so a caller that uses it at once
   * finds it open.
   */
  async get(name: string, open: () => Promise<T>): Promise<T> {
    for (;;) {
      const opening = this.opening.get(name) ?? this.open(name, open);
      const thing = await opening;
      if (this.byName.get(name) === thing) return thing;
    }
  }

  opened(): [string, T][] {
    return [...this.byName];
  }

  async closeOne(name: string): Promise<void> {
    const thing = this.byName.get(name);
    this.opening.delete(name);
    this.byName.delete(name);
    await thing?.close();
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.opening.values());
    await Promise.all([...this.byName.keys()].map((name) => this.closeOne(name)));
  }

  private open(name: string, open: () => Promise<T>): Promise<T> {
    const opening = open();
    this.opening.set(name, opening);
    opening.then(
      (thing) => this.byName.set(name, thing),
      () => this.opening.delete(name),
    );
    return opening;
  }
}
