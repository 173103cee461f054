/** A map with a set of values per key. A key without values has no set. */
export class SetMultimap<K, V> {
  private readonly sets = new Map<K, Set<V>>();

  get size(): number {
    return this.sets.size;
  }

  get(key: K): ReadonlySet<V> | undefined {
    return this.sets.get(key);
  }

  keys(): Iterable<K> {
    return this.sets.keys();
  }

  add(key: K, value: V): void {
    const set = this.sets.get(key);
    if (set) set.add(value);
    else this.sets.set(key, new Set([value]));
  }

  delete(key: K, value: V): void {
    const set = this.sets.get(key);
    set?.delete(value);
    if (set?.size === 0) this.sets.delete(key);
  }

  [Symbol.iterator](): IterableIterator<[K, ReadonlySet<V>]> {
    return this.sets.entries();
  }
}
