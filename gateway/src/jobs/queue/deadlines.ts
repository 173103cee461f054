import type { Job } from './job.js';

/** Jobs with the same time-out, the first of which is due first. */
class Line {
  first: Job | undefined;
  last: Job | undefined;
}

/** When jobs in flight come back. There are few time-outs, so a line for each keeps its order without sorting, and no job has a timer. */
export class Deadlines {
  private readonly lines = new Map<number, Line>();

  add(job: Job, timeoutMs: number, now: number): void {
    const line = this.lines.get(timeoutMs) ?? new Line();
    this.lines.set(timeoutMs, line);
    job.timeoutMs = timeoutMs;
    job.dueAt = now + timeoutMs;
    job.earlier = line.last;
    job.later = undefined;
    if (line.last) line.last.later = job;
    else line.first = job;
    line.last = job;
  }

  remove(job: Job): void {
    const line = this.lines.get(job.timeoutMs);
    if (line === undefined) return;
    if (job.earlier) job.earlier.later = job.later;
    else line.first = job.later;
    if (job.later) job.later.earlier = job.earlier;
    else line.last = job.earlier;
    job.earlier = job.later = undefined;
    if (line.first === undefined) this.lines.delete(job.timeoutMs);
  }

  /** Those that have been in flight since then, or longer. */
  *since(time: number): Generator<Job> {
    for (const { first } of this.lines.values())
      for (let job = first; job && job.dueAt - job.timeoutMs <= time; job = job.later) yield job;
  }

  /** One that is due; it must be removed before the next is asked for. */
  overdue(now: number): Job | undefined {
    for (const { first } of this.lines.values()) if (first && first.dueAt <= now) return first;
    return undefined;
  }
}
