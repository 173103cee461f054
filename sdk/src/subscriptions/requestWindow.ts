/**
 * Lets so many requests be unanswered at once; whoever else asks is called, in order, as answers come. A server answers a connection at a
 * certain rate: of thousands of requests that are sent together the last ones would time out.
 */
export class RequestWindow<Asker> {
  private readonly size: number;
  private readonly onRoom: (asker: Asker) => void;
  private readonly unanswered = new Set<Asker>();
  private readonly queue = new Set<Asker>();

  constructor(size: number, onRoom: (asker: Asker) => void) {
    this.size = size;
    this.onRoom = onRoom;
  }

  /** Whether the request may be sent now; otherwise the asker is called when it may be. */
  admits(asker: Asker): boolean {
    const isAdmitted = this.unanswered.size < this.size;
    (isAdmitted ? this.unanswered : this.queue).add(asker);
    return isAdmitted;
  }

  /** It has its answer, or needs none any more. */
  release(asker: Asker): void {
    if (!this.unanswered.delete(asker)) return;
    for (const next of this.queue) {
      if (this.unanswered.size >= this.size) return;
      this.queue.delete(next);
      this.onRoom(next);
    }
  }

  /** Whether the asker was still waiting to be called. */
  withdraw(asker: Asker): boolean {
    return this.queue.delete(asker);
  }
}
