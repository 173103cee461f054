import { closeSync, fstatSync } from 'node:fs';

const slotCount = 4_096;
const free = 0;

/**
 * The descriptors on their way to a thread. Until it opens one nobody closes it but us, and afterwards nobody but the thread: the system may have
 * given its number to another connection. A thread may die in between, so that only memory that both share can tell.
 */
export class DescriptorSlots {
  /** For the thread: a descriptor that it has not seen, one that it is about to open as a negative number, or 0. */
  readonly slots = new Int32Array(new SharedArrayBuffer(slotCount * Int32Array.BYTES_PER_ELEMENT));
  /** What tells a connection from a later one with the same descriptor. */
  private readonly inodes = new Float64Array(slotCount);
  private last = 0;

  /** Undefined where the thread is so far behind that it cannot be given more. */
  put(descriptor: number): number | undefined {
    const { ino } = fstatSync(descriptor);
    for (let tried = 0; tried < slotCount; tried += 1) {
      this.last = (this.last + 1) % slotCount;
      if (Atomics.load(this.slots, this.last) !== free) continue;
      this.inodes[this.last] = ino;
      Atomics.store(this.slots, this.last, descriptor);
      return this.last;
    }
    return undefined;
  }

  /** The thread has ended, and what it had opened is closed: the rest is closed here. */
  closeAll(): void {
    for (let slot = 0; slot < slotCount; slot += 1) {
      const descriptor = Atomics.exchange(this.slots, slot, free);
      if (descriptor > free) closeSync(descriptor);
      // It died between two lines: the descriptor is open still, or was closed with the thread, and may be another's by now.
      else if (inodeOf(-descriptor) === this.inodes[slot]) closeSync(-descriptor);
    }
  }
}

const inodeOf = (descriptor: number): number | undefined => {
  if (descriptor === free) return undefined;
  try {
    return fstatSync(descriptor).ino;
  } catch {
    // Nobody has it open.
    return undefined;
  }
};

/** In the thread: from here to the end of `open` the descriptor has no owner for sure. */
export const openFrom = <T>(slots: Int32Array, slot: number, open: (descriptor: number) => T): T => {
  const descriptor = Atomics.load(slots, slot);
  Atomics.store(slots, slot, -descriptor);
  try {
    return open(descriptor);
  } finally {
    Atomics.store(slots, slot, free);
  }
};
