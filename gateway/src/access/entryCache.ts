import { RecentChanges } from './recentChanges.js';

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
 * Look-ups of one key share a read. An entry that is dropped or evicted is no longer current for its holders. A read in flight is made
 * again only if the record that it found was dropped meanwhile.
 */
export class EntryCache<T extends { readonly projectId: string }> {
  private readonly source: EntrySource<T>;
  /** Oldest first. */
  private readonly entries = new Map<string, Entry<T>>();
  private readonly keysById = new Map<string, string>();
  private readonly reads = new Map<string, Promise<Entry<T> | undefined>>();
  /** Of records and projects: what was read before one of its own is not cached. */
  private readonly drops = new RecentChanges();

  constructor(source: EntrySource<T>) {
    this.source = source;
  }

  peek(key: string): Entry<T> | undefined {
    return this.entries.get(key);
  }

  async load(key: string, read: () => Promise<T | undefined>): Promise<Entry<T> | undefined> {
    // The shared read may have begun before the document was created or changed, so only a current hit counts.
    const found = await this.reads.get(key);
    if (found?.isCurrent === true) return found;
    return this.entries.get(key) ?? this.reads.get(key) ?? this.begin(key, read);
  }

  drop(id: string): void {
    this.drops.add(id);
    const key = this.keysById.get(id);
    if (key !== undefined) this.remove(key);
  }

  dropProject(projectId: string): void {
    this.drops.add(projectId);
    for (const [key, { value }] of this.entries) if (value.projectId === projectId) this.remove(key);
  }

  /** What may have changed unnoticed, be it while it is read. */
  forget(isMeant: (projectId: string) => boolean): void {
    this.drops.addAll();
    for (const [key, { value }] of this.entries) if (isMeant(value.projectId)) this.remove(key);
  }

  dropAll(): void {
    this.drops.addAll();
    for (const key of this.entries.keys()) this.remove(key);
  }

  private begin(key: string, read: () => Promise<T | undefined>): Promise<Entry<T> | undefined> {
    const result = this.readAndKeep(key, read).finally(() => this.reads.delete(key));
    this.reads.set(key, result);
    return result;
  }

  private async readAndKeep(key: string, read: () => Promise<T | undefined>): Promise<Entry<T> | undefined> {
    for (let attempt = 1; ; attempt++) {
      const before = this.drops.latest;
      const value = await read();
      if (value === undefined) return undefined;
      const isStale = this.drops.haveTouched([this.source.idOf(value), value.projectId], before);
      if (!isStale) return this.keep(key, value);
      // It was dropped during every read: the result is used once and not cached.
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
