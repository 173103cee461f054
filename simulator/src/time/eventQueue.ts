import type { Owner } from './owner.js';

/** Something that happens at a virtual time. */
export interface TimedEvent {
  at: number;
  /** Of events at one time the one that was scheduled first happens first. */
  readonly order: number;
  /** Undefined for the world outside of the simulated processes. */
  readonly owner: Owner | undefined;
  /** Undefined once it is cancelled. */
  run: (() => void) | undefined;
}

const isBefore = (one: TimedEvent, other: TimedEvent): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);

/** A binary heap, the next event first. */
export class EventQueue {
  private readonly heap: TimedEvent[] = [];

  push(event: TimedEvent): void {
    const { heap } = this;
    let place = heap.length;
    heap.push(event);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent] as TimedEvent;
      if (isBefore(above, event)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = event;
  }

  pop(): TimedEvent | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (last !== undefined && last !== first) this.sink(last);
    return first;
  }

  private sink(event: TimedEvent): void {
    const { heap } = this;
    const { length } = heap;
    let place = 0;
    for (let child = 1; child < length; child = 2 * place + 1) {
      const right = child + 1;
      if (right < length && isBefore(heap[right] as TimedEvent, heap[child] as TimedEvent)) child = right;
      const below = heap[child] as TimedEvent;
      if (isBefore(event, below)) break;
      heap[place] = below;
      place = child;
    }
    heap[place] = event;
  }
}
