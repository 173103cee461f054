/** Something that has a size and a place in a heap, which the heap sets. */
export interface Sized {
  bytes: number;
  place: number;
}

/** Things by their size: the largest is known at once, a change costs O(log n) at most. A binary heap. */
export class LargestFirst<T extends Sized> {
  private readonly heap: T[] = [];

  get largest(): T | undefined {
    return this.heap[0];
  }

  get size(): number {
    return this.heap.length;
  }

  add(one: T): void {
    this.put(one, this.heap.length);
    this.rise(one);
  }

  remove(one: T): void {
    const last = this.heap.pop() as T;
    if (last === one) return;
    this.put(last, one.place);
    this.resized(last);
  }

  resized(one: T): void {
    this.rise(one);
    this.sink(one);
  }

  private rise(one: T): void {
    while (one.place > 0) {
      const parent = this.heap[(one.place - 1) >> 1] as T;
      if (parent.bytes >= one.bytes) return;
      this.swap(one, parent);
    }
  }

  private sink(one: T): void {
    for (;;) {
      const left = this.heap[2 * one.place + 1];
      const right = this.heap[2 * one.place + 2];
      const larger = right !== undefined && left !== undefined && right.bytes > left.bytes ? right : left;
      if (larger === undefined || larger.bytes <= one.bytes) return;
      this.swap(one, larger);
    }
  }

  private swap(one: T, other: T): void {
    const { place } = one;
    this.put(one, other.place);
    this.put(other, place);
  }

  private put(one: T, place: number): void {
    one.place = place;
    this.heap[place] = one;
  }
}
