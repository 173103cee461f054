import { newJob, type Job, type JobFields } from './job.js';

/** Which jobs of a group are in memory, and how far its store has been read. */
export class JobMemory {
  private readonly jobs = new Map<number, Job>();
  private messageBytes = 0;
  private newest: number;
  /** The jobs behind it are in the store alone. */
  private loadedTo = 0;
  /** The highest that `loadedTo` has been. */
  private seenTo = 0;
  /** The lowest number of a job that no member could have when it was last looked at. */
  private leftFrom = Number.POSITIVE_INFINITY;
  /** While jobs are read: those that have been settled, or left in the store, since. */
  private touched: Set<number> | undefined;
  /** Acknowledged while they are in the store alone, and perhaps still there: they do not come into memory. */
  private readonly sought = new Set<number>();
  /** While jobs are read: what the store is to be read from once more, because it has been left there since. */
  private againFrom = Number.POSITIVE_INFINITY;

  constructor(lastSeq: number) {
    this.newest = lastSeq;
  }

  get(seq: number): Job | undefined {
    return this.jobs.get(seq);
  }

  /** Of the messages. */
  get bytes(): number {
    return this.messageBytes;
  }

  /** The number of the newest job, in memory or not. */
  get lastSeq(): number {
    return this.newest;
  }

  /** When the oldest job in memory was added; undefined without any. */
  get oldestAt(): number | undefined {
    for (const { addedAt } of this.jobs.values()) return addedAt;
    return undefined;
  }

  /** Jobs behind this number are in the store alone; undefined where none is. */
  get unreadBehind(): number | undefined {
    return this.loadedTo < this.newest ? this.loadedTo : undefined;
  }

  /** Whether what is read next has been in memory before: what is stored of it must be up to date. */
  get readsAgain(): boolean {
    return this.loadedTo < this.seenTo;
  }

  /** Whether the job has been read, so that one that is not here is settled or left in the store. */
  hasRead(seq: number): boolean {
    return seq <= this.loadedTo;
  }

  /** There is a new job, in the store at least. Whether all before it have been read, so that it may be here. */
  grow(seq: number): boolean {
    const hasAll = this.loadedTo === this.newest;
    this.newest = seq;
    return hasAll;
  }

  /** The new job, behind all others. */
  append(fields: JobFields): Job {
    this.loadedTo = this.seenTo = fields.seq;
    return this.keep(fields);
  }

  keep(fields: JobFields): Job {
    const job = newJob(fields);
    this.jobs.set(job.seq, job);
    this.messageBytes += job.bytes;
    return job;
  }

  beginReading(): void {
    this.touched = new Set();
    this.againFrom = Number.POSITIVE_INFINITY;
  }

  /** Returns which of the jobs that are being read have been settled, or left in the store, meanwhile. */
  endReading(): ReadonlySet<number> | undefined {
    const { touched } = this;
    this.touched = undefined;
    return touched;
  }

  /** Everything behind `after` has been read, up to `to`. */
  hasReadOn({ after, to }: { readonly after: number; readonly to: number }): void {
    // Otherwise jobs have been left in the store meanwhile, before those that were read.
    if (this.loadedTo >= after) this.loadedTo = Math.max(this.loadedTo, Math.min(to, this.againFrom - 1));
    this.seenTo = Math.max(this.seenTo, this.loadedTo);
  }

  /** From this job on the store is read once more. */
  readAgainFrom(seq: number): void {
    this.loadedTo = Math.min(this.loadedTo, seq - 1);
    this.againFrom = Math.min(this.againFrom, seq);
  }

  /** Jobs that nobody could have before are looked at once more. */
  readLeftAgain(): void {
    this.readAgainFrom(this.leftFrom);
    this.leftFrom = Number.POSITIVE_INFINITY;
  }

  leaveInStore(job: Job): void {
    this.forget(job);
    this.leftFrom = Math.min(this.leftFrom, job.seq);
  }

  forget(job: Job): void {
    this.forgetMessage(job);
    job.state = 'over';
    this.jobs.delete(job.seq);
    this.touch(job.seq);
  }

  /** It is looked for in the store, to be settled there; `endSeek` must follow. Whether it was not before. */
  seek(seq: number): boolean {
    if (this.sought.has(seq)) return false;
    this.sought.add(seq);
    return true;
  }

  isSought(seq: number): boolean {
    return this.sought.has(seq);
  }

  endSeek(seq: number): void {
    this.sought.delete(seq);
    this.touch(seq);
  }

  /** What is being read of it is out of date. */
  touch(seq: number): void {
    this.touched?.add(seq);
  }

  forgetMessage(job: Job): void {
    if (job.message === undefined) return;
    job.message = undefined;
    this.messageBytes -= job.bytes;
  }

  remember(job: Job, message: NonNullable<Job['message']>): void {
    job.message = message;
    this.messageBytes += job.bytes;
  }
}
