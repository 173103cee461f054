/** A cached document. It may be used as long as it is current. */
export interface Entry<T> {
  readonly value: T;
  isCurrent: boolean;
}

export interface EntrySource<T> {
  readonly idOf: (record: T) => string;
  readonly maxEntries: number;
  /** One made room for others. */
  readonly onEvicted?: () => void;
}

const maxReads = 3;

/**
 * Documents of the read models by key. Absence is not cached: a room that was created a moment ago must be found.
 * Look-ups of one key share a read. An entry that is dropped or evicted is no longer current for its holders.
 */
export class EntryCache<T> {
  private readonly source: EntrySource<T>;
  /** Oldest first. */
  private readonly entries = new Map<string, Entry<T>>();
  private readonly keysById = new Map<string, string>();
  private readonly reads = new Map<string, Promise<Entry<T> | undefined>>();
  /** Counts drops, so that a read that began before a drop is not cached. */
  private generation = 0;

  constructor(source: EntrySource<T>) {
    this.source = source;
  }

  peek(key: string): Entry<T> | undefined {
    return this.entries.get(key);
  }

  async load(key: string, read: () => Promise<T | undefined>): Promise<Entry<T> | undefined> {
    // The shared read may have begun before the document was created, so only a hit counts.
    const found = await this.reads.get(key);
    return found ?? this.entries.get(key) ?? this.reads.get(key) ?? this.begin(key, read);
  }

  drop(id: string): void {
    this.generation++;
    const key = this.keysById.get(id);
    if (key !== undefined) this.remove(key);
  }

  dropWhere(isAffected: (record: T) => boolean): void {
    this.generation++;
    for (const [key, entry] of this.entries) if (isAffected(entry.value)) this.remove(key);
  }

  private begin(key: string, read: () => Promise<T | undefined>): Promise<Entry<T> | undefined> {
    const result = this.readAndKeep(key, read).finally(() => this.reads.delete(key));
    this.reads.set(key, result);
    return result;
  }

  private async readAndKeep(key: string, read: () => Promise<T | undefined>): Promise<Entry<T> | undefined> {
    for (let attempt = 1; ; attempt++) {
      const { generation } = this;
      const value = await read();
      if (value === undefined) return undefined;
      if (generation === this.generation) return this.keep(key, value);
      // An entry was dropped during every read: the result is used once and not cached.
      if (attempt === maxReads) return { value, isCurrent: false };
    }
  }

  private keep(key: string, value: T): Entry<T> {
    const id = this.source.idOf(value);
    const formerKey = this.keysById.get(id);
    if (formerKey !== undefined) this.remove(formerKey);
    this.remove(key);
    const entry = { value, isCurrent: true };
    this.entries.set(key, entry);
    this.keysById.set(id, key);
    if (this.entries.size > this.source.maxEntries) {
      this.remove(this.entries.keys().next().value as string);
      this.source.onEvicted?.();
    }
    return entry;
  }

  private remove(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    entry.isCurrent = false;
    this.entries.delete(key);
    this.keysById.delete(this.source.idOf(entry.value));
  }
}
