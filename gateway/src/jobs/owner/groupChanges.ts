import type { JobChanges, JobProgress, NewJob } from '@roomwire/shared/ports/jobStore';

/** What has changed in a group since its last commit. */
export class GroupChanges {
  private added: NewJob[] = [];
  private settled: number[] = [];
  private changed = new Map<number, JobProgress>();
  private collected: number | undefined;

  get isEmpty(): boolean {
    return (
      this.collected === undefined &&
      this.settled.length === 0 &&
      this.added.length === 0 &&
      this.changed.size === 0
    );
  }

  /** How much can wait for a moment. */
  get size(): number {
    return this.settled.length + this.changed.size;
  }

  add(job: NewJob): void {
    this.added.push(job);
  }

  settle(seq: number): void {
    this.changed.delete(seq);
    this.settled.push(seq);
  }

  change(progress: JobProgress): void {
    this.changed.set(progress.seq, progress);
  }

  collect(collected: number): void {
    this.collected = collected;
  }

  take(groupId: string): JobChanges {
    const { added, settled, changed, collected } = this;
    this.added = [];
    this.settled = [];
    this.changed = new Map();
    this.collected = undefined;
    return {
      ...{ groupId, add: added, settled, changed: [...changed.values()] },
      ...(collected !== undefined && { collected }),
    };
  }
}
