/**
 * Which of a gateway's numbered records have come. They come in any order, because rooms are on different partitions;
 * what is kept is the number up to which there is no gap, and what came beyond it.
 */
export class ReceivedSequences {
  private complete: number;
  private readonly beyond = new Set<number>();

  /** As if everything up to here had come. */
  constructor(complete = 0) {
    this.complete = complete;
  }

  /** False for a number that has come before, or no longer counts. */
  add(sequence: number): boolean {
    if (sequence <= this.complete || this.beyond.has(sequence)) return false;
    this.beyond.add(sequence);
    this.close();
    return true;
  }

  /** What is before this number no longer counts, whether it has come or not. */
  startAt(sequence: number): void {
    if (sequence <= this.complete) return;
    this.complete = sequence - 1;
    for (const one of this.beyond) if (one < sequence) this.beyond.delete(one);
    this.close();
  }

  hasAllUpTo(sequence: number): boolean {
    return this.complete >= sequence;
  }

  private close(): void {
    while (this.beyond.delete(this.complete + 1)) this.complete++;
  }
}
