/** What one gateway has of one kind of record; a second of it, once divided by the seconds that it stands for. */
export interface Count {
  records: number;
  /** Of keys and values, as their codecs write them: without what Kafka adds, and without compression. */
  bytes: number;
}

/** Counts by name. */
export class Tally {
  private readonly counts = new Map<string, Count>();

  add(name: string, bytes: number, times = 1): void {
    const count = this.counts.get(name) ?? { records: 0, bytes: 0 };
    this.counts.set(name, count);
    count.records += times;
    count.bytes += bytes * times;
  }

  of(name: string): Readonly<Count> {
    return this.counts.get(name) ?? { records: 0, bytes: 0 };
  }
}
