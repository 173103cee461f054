/** How far clocks of gateways, and what is under way between them, may be apart. */
const windowMs = 10_000;
const mostIds = 2_000;

/** What a group knows of what is behind it, as it is told to others. */
export interface PassedRecord {
  /** Milliseconds since 1970. */
  readonly floorMs: number;
  readonly ids: readonly string[];
}

/** When a message was made: its id begins with it. Milliseconds since 1970. */
export const madeAt = (id: string): number => Number.parseInt(id.slice(0, 9), 36);

/**
 * Which messages have come to a group. Those made lately are known by their ids; of what was made before the floor
 * everything has come that ever will.
 */
export class Passed {
  private readonly ids = new Set<string>();
  private newest = 0;
  private floor: number;

  constructor({ floorMs, ids }: PassedRecord) {
    this.floor = floorMs;
    for (const id of ids) this.add(id);
  }

  get record(): PassedRecord {
    return { floorMs: this.floor, ids: [...this.ids] };
  }

  get floorMs(): number {
    return this.floor;
  }

  has(id: string): boolean {
    return this.ids.has(id);
  }

  add(id: string): void {
    this.ids.add(id);
    const time = madeAt(id);
    if (time > this.newest) this.newest = time;
    for (const oldest of this.ids) {
      const age = this.newest - madeAt(oldest);
      if (this.ids.size <= mostIds && age <= windowMs) return;
      this.ids.delete(oldest);
      this.floor = Math.max(this.floor, madeAt(oldest));
    }
  }
}
