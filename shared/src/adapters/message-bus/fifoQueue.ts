/** A queue without the cost of `Array.shift`, which moves every element of a long array. */
export class FifoQueue<T> {
  private items: T[] = [];
  private head = 0;

  get first(): T | undefined {
    return this.items[this.head];
  }

  get isEmpty(): boolean {
    return this.head === this.items.length;
  }

  push(item: T): void {
    this.items.push(item);
  }

  shift(): T | undefined {
    const item = this.items[this.head];
    if (this.head < this.items.length) this.head += 1;
    if (this.head > 32 && this.head * 2 > this.items.length) this.compact();
    return item;
  }

  private compact(): void {
    this.items = this.items.slice(this.head);
    this.head = 0;
  }
}
