import type { Job } from './job.js';

/** Jobs by a number, the lowest first. */
export class JobHeap {
  private readonly key: (job: Job) => number;
  private readonly heap: Job[] = [];

  constructor(key: (job: Job) => number) {
    this.key = key;
  }

  get first(): Job | undefined {
    return this.heap[0];
  }

  push(job: Job): void {
    const { heap } = this;
    let at = heap.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as Job;
      if (this.key(above) <= this.key(job)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = job;
  }

  shift(): Job | undefined {
    const { heap } = this;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      const [left, right] = [heap[child] as Job, heap[child + 1]];
      if (right && this.key(right) < this.key(left)) child++;
      const below = heap[child] as Job;
      if (this.key(below) >= this.key(last)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}
