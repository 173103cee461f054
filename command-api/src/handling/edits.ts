/** How a fold changes the collections of its state. */
export interface Edits {
  put<K, V>(map: Map<K, V>, key: K, value: V): void;
  add<V>(set: Set<V>, value: V): void;
  remove<K, V>(from: Map<K, V> | Set<K>, key: K): void;
}

/** For good. */
export const inPlace: Edits = {
  put: (map, key, value) => void map.set(key, value),
  add: (set, value) => void set.add(value),
  remove: (from, key) => void from.delete(key),
};

/** Edits that can be taken back, as long as nothing else has changed the collections since. The order of their entries may differ then. */
export class RevocableEdits implements Edits {
  private readonly steps: (() => void)[] = [];

  put<K, V>(map: Map<K, V>, key: K, value: V): void {
    const before = map.get(key);
    const wasThere = before !== undefined || map.has(key);
    this.steps.push(wasThere ? () => map.set(key, before as V) : () => map.delete(key));
    map.set(key, value);
  }

  add<V>(set: Set<V>, value: V): void {
    if (set.has(value)) return;
    this.steps.push(() => set.delete(value));
    set.add(value);
  }

  remove<K, V>(from: Map<K, V> | Set<K>, key: K): void {
    if (!from.has(key)) return;
    if (from instanceof Set) this.steps.push(() => from.add(key));
    else {
      const before = from.get(key) as V;
      this.steps.push(() => from.set(key, before));
    }
    from.delete(key);
  }

  takeBack(): void {
    for (let step; (step = this.steps.pop()) !== undefined;) step();
  }
}
