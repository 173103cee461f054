/** What is made once for a key, when it is first wanted, and closed at the end. */
export class Shared<Thing extends { close(): Promise<void> }> {
  private readonly made = new Map<string, Promise<Thing>>();

  get(key: string, make: () => Promise<Thing>): Promise<Thing> {
    const known = this.made.get(key) ?? make();
    this.made.set(key, known);
    return known;
  }

  async close(): Promise<void> {
    const things = await Promise.allSettled(this.made.values());
    for (const thing of things) if (thing.status === 'fulfilled') await thing.value.close();
  }
}
