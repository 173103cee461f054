import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { JobOptions } from '@roomwire/shared/ports/jobGroups';
import { Deadlines } from './deadlines.js';
import { newJob, type Job, type JobFields, type JobMember, type JobWishes } from './job.js';
import type { JobCounts } from './jobCounts.js';
import { JobHeap } from './jobHeap.js';
import type { Lane } from './lane.js';
import { Lanes } from './lanes.js';

export type DeathCause = 'max_deliveries' | 'group_full';

/** What the queue has others do. None of them may call it back at once. */
export interface JobOutputs {
  /** It is kept no longer. */
  settled(job: Job): void;
  /** How often it was handed out has changed, or when it may be; `delayMs` from now. */
  changed(job: Job, delayMs: number): void;
  /** It is to become a dead letter; `buried` must follow. */
  dying(job: Job, cause: DeathCause): void;
  /** `fetched` must follow. */
  fetch(job: Job): void;
  /** A member acknowledges a job that is not in memory: it is kept no longer, if it is there. */
  settleUnseen(seq: number): void;
}

export interface JobWindow {
  /** While fewer are ready, further ones are asked for. */
  readonly lowJobs: number;
  /** Beyond so many, or as many bytes, new ones are left in the store. */
  readonly jobs: number;
  readonly bytes: number;
}

export interface JobQueueDeps {
  readonly window: JobWindow;
  readonly counts: JobCounts;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Most jobs are done by then. */
const notedAfterMs = 1_000;

/** What is stored of a job when it comes into memory. */
export interface KnownJob extends JobFields {
  /** 0 for at once. */
  readonly delayMs: number;
}

/**
 * The jobs of one group: who gets which, and when one comes back. All of them are in the store; in memory are those that are next, and without
 * their messages those that are in flight or delayed. No I/O, no clock, no chance.
 */
export class JobQueue {
  readonly members = new Set<JobMember>();
  private readonly outputs: JobOutputs;
  private readonly window: JobWindow;
  private readonly counts: JobCounts;
  private readonly now: () => number;
  private readonly jobs = new Map<number, Job>();
  private readonly lanes = new Lanes();
  private readonly deadlines = new Deadlines();
  /** Who has jobs that are not in memory yet. */
  private readonly reserved = new Map<number, JobMember>();
  private readonly delayed = new JobHeap(({ dueAt }) => dueAt);
  private chosen: JobOptions;
  /** Of the messages in memory. */
  private bytes = 0;
  private flying = 0;
  private fetching = 0;
  private turn = 0;
  /** The jobs behind it are in the store alone. */
  private loadedTo = 0;
  private lastSeq: number;
  /** The lowest number of a job that no member could have when it was last looked at. */
  private leftFrom = Number.POSITIVE_INFINITY;
  /** The highest that `loadedTo` has been. */
  private seenTo = 0;
  /** While jobs are read: those that have been settled, or left in the store, since. */
  private touched: Set<number> | undefined;

  constructor(
    { options, lastSeq }: { readonly options: JobOptions; readonly lastSeq: number },
    { window, counts, now }: JobQueueDeps,
    outputs: JobOutputs,
  ) {
    this.chosen = options;
    this.lastSeq = lastSeq;
    this.window = window;
    this.counts = counts;
    this.now = now;
    this.outputs = outputs;
  }

  get inFlight(): number {
    return this.flying;
  }

  get memoryBytes(): number {
    return this.bytes;
  }

  /** When the oldest job in memory was added; undefined without any. */
  get oldestAt(): number | undefined {
    for (const { addedAt } of this.jobs.values()) return addedAt;
    return undefined;
  }

  get options(): JobOptions {
    return this.chosen;
  }

  /** Jobs behind this number should be loaded; undefined while there are enough, or all of them are here. */
  get wantsBehind(): number | undefined {
    const isLow = this.lanes.size < this.window.lowJobs && this.bytes < this.window.bytes;
    return isLow && this.members.size > 0 && this.loadedTo < this.lastSeq ? this.loadedTo : undefined;
  }

  /** Whether what is wanted has been in memory before: what is stored of it must be up to date. */
  get wantsAgain(): boolean {
    return this.loadedTo < this.seenTo;
  }

  /** [WS-JOB-4] While the group has members, one of them must ask for it, even where only its own publisher does. */
  takes({ filters }: Pick<LiveMessage, 'filters'>): boolean {
    if (this.members.size === 0) return true;
    const values = new Set(filters);
    for (const member of this.members) if (member.selects(values)) return true;
    return false;
  }

  /** A new job, behind all others. */
  add(fields: JobFields): void {
    const { seq } = fields;
    const hasAll = this.loadedTo === this.lastSeq;
    this.lastSeq = seq;
    if (!hasAll || this.isFull) return;
    this.loadedTo = this.seenTo = seq;
    const job = newJob(fields);
    this.jobs.set(seq, job);
    this.bytes += job.bytes;
    this.makeReady(job);
  }

  /** Jobs behind this number are being read; `load` or `notLoaded` must follow. */
  beginLoading(): void {
    this.touched = new Set();
  }

  notLoaded(): void {
    this.touched = undefined;
  }

  /** Jobs behind the number `after`, in their order; up to `to` there are no others. */
  load(known: readonly KnownJob[], { after, to }: { readonly after: number; readonly to: number }): void {
    const { touched } = this;
    this.touched = undefined;
    for (const fields of known) {
      const { seq, delayMs } = fields;
      if (this.jobs.has(seq) || touched?.has(seq)) continue;
      const job = newJob(fields);
      this.jobs.set(seq, job);
      this.bytes += job.bytes;
      const holder = this.reserved.get(seq);
      if (holder) this.keepAt(holder, job);
      else if (job.counted >= this.chosen.maxDeliveries) this.die(job, 'max_deliveries');
      else if (delayMs > 0) this.delay(job, delayMs);
      else this.makeReady(job);
    }
    // Otherwise jobs have been left in the store meanwhile, before those that were read.
    if (this.loadedTo >= after) this.loadedTo = Math.max(this.loadedTo, to);
    this.seenTo = Math.max(this.seenTo, this.loadedTo);
    // What has not come is settled.
    for (const seq of this.reserved.keys()) if (seq <= this.loadedTo) this.release(seq);
  }

  /** The newest member's options hold. */
  choose(options: JobOptions): void {
    const hasMoreCredit = options.prefetch > this.chosen.prefetch;
    this.chosen = options;
    if (hasMoreCredit) for (const member of this.members) this.serve(member);
  }

  join(member: JobMember): void {
    this.members.add(member);
    this.lookAgain(this.lanes.joined(member));
  }

  /** It has them from an earlier owner: they are in flight, as if they had been handed out now. */
  adopt(member: JobMember, seqs: readonly number[]): void {
    for (const seq of seqs) {
      const job = this.jobs.get(seq);
      if (job?.state === 'inFlight' || job?.state === 'dying' || seq > this.lastSeq) continue;
      if (job !== undefined) {
        this.keepAt(member, job);
        continue;
      }
      this.release(seq);
      this.reserved.set(seq, member);
      member.reserved.add(seq);
    }
    if (this.reserved.size > 0)
      this.loadedTo = Math.min(this.loadedTo, Math.min(...this.reserved.keys()) - 1);
  }

  ask(member: JobMember, wishes: JobWishes): void {
    member.ask(wishes);
    this.lookAgain(this.lanes.joined(member));
    for (const one of this.members) this.serve(one);
  }

  /** Its client can have jobs from now on. */
  ready(member: JobMember): void {
    member.isReady = true;
    this.serve(member);
  }

  /** What it has not acknowledged goes to others, and does not count towards `maxDeliveries`. */
  leave(member: JobMember): void {
    if (!this.members.delete(member)) return;
    member.isReady = false;
    for (const seq of member.reserved) this.release(seq);
    const unfinished = [...member.jobs].sort((one, other) => one.seq - other.seq);
    for (const job of unfinished) this.takeFrom(job);
    for (const job of this.lanes.left(member)) this.leaveInStore(job);
    for (const job of unfinished) {
      this.outputs.changed(job, 0);
      this.handBack(job);
    }
  }

  /** By whoever had it at any time. */
  settle(seq: number): void {
    const job = this.jobs.get(seq);
    if (job === undefined) {
      this.touched?.add(seq);
      this.release(seq);
      if (seq <= this.lastSeq) this.outputs.settleUnseen(seq);
      return;
    }
    if (job.state === 'dying') return;
    const { member } = job;
    if (member) this.takeFrom(job);
    this.remove(job);
    this.counts.acknowledged++;
    this.outputs.settled(job);
    if (member) this.serve(member);
  }

  /** Passed over where the member does not have it. */
  giveBack(member: JobMember, seq: number, delayMs: number): void {
    const job = this.jobs.get(seq);
    if (job?.member !== member) return;
    this.counts.givenBack++;
    this.failed(job, delayMs);
    this.serve(member);
  }

  /** As `giveBack`. */
  progress(member: JobMember, seq: number): void {
    const job = this.jobs.get(seq);
    if (job?.member !== member) return;
    this.deadlines.remove(job);
    this.deadlines.add(job, this.chosen.ackSeconds * 1_000, this.now());
  }

  /** The message of a job that was asked for; undefined where it is not there any more. */
  fetched(seq: number, message: LiveMessage | undefined): void {
    const job = this.jobs.get(seq);
    this.fetching--;
    if (job?.state !== 'fetching') return;
    if (message === undefined) return this.remove(job);
    job.message = message;
    this.bytes += job.bytes;
    this.makeReady(job);
  }

  /** The job is a dead letter. */
  buried(seq: number): void {
    const job = this.jobs.get(seq);
    if (job === undefined) return;
    this.remove(job);
    this.outputs.settled(job);
  }

  /** One of too many, or a job that is too old: nobody gets it any more. Not one that a member has. */
  withdraw(seq: number): boolean {
    const job = this.jobs.get(seq);
    if (job === undefined) {
      this.touched?.add(seq);
      return true;
    }
    if (job.state === 'inFlight' || job.state === 'dying') return false;
    this.remove(job);
    return true;
  }

  /** Returns what is overdue, and hands out what was delayed. */
  tick(): void {
    const now = this.now();
    for (let job = this.deadlines.overdue(now); job; job = this.deadlines.overdue(now)) {
      const { member } = job;
      this.counts.timedOut++;
      this.failed(job, 0);
      if (member) this.serve(member);
    }
    for (let { first } = this.delayed; first && first.dueAt <= now; first = this.delayed.first) {
      this.delayed.shift();
      if (first.state === 'delayed') this.handBack(first);
    }
  }

  /** Once a second: whoever takes over after a kill learns of deliveries that last. */
  noteDeliveries(): void {
    for (const job of this.deadlines.since(this.now() - notedAfterMs)) {
      if (job.notedDeliveries === job.deliveries) continue;
      job.notedDeliveries = job.deliveries;
      this.outputs.changed(job, 0);
    }
  }

  /** Another process takes over, and learns of all deliveries: there is none from now on. */
  handOver(): void {
    for (const member of this.members) {
      member.isReady = false;
      for (const job of member.jobs) this.outputs.changed(job, 0);
    }
  }

  /** The member did not do it in time, or cannot. */
  private failed(job: Job, delayMs: number): void {
    this.takeFrom(job);
    job.counted++;
    this.outputs.changed(job, delayMs);
    if (job.counted >= this.chosen.maxDeliveries) this.die(job, 'max_deliveries');
    else if (delayMs > 0) this.delay(job, delayMs);
    else this.handBack(job);
  }

  private die(job: Job, cause: DeathCause): void {
    job.state = 'dying';
    this.outputs.dying(job, cause);
  }

  private delay(job: Job, delayMs: number): void {
    job.state = 'delayed';
    job.dueAt = this.now() + delayMs;
    this.forgetMessage(job);
    this.delayed.push(job);
  }

  /** To the lanes, as soon as its message is here. */
  private handBack(job: Job): void {
    if (this.isFull) {
      this.leaveInStore(job);
      this.loadedTo = Math.min(this.loadedTo, job.seq - 1);
      return;
    }
    job.state = 'fetching';
    this.fetching++;
    this.outputs.fetch(job);
  }

  private makeReady(job: Job): void {
    const lane = this.lanes.add(job);
    if (lane.eligible.size > 0) this.offer(lane);
    else if (this.members.size > 0) {
      this.lanes.remove(job);
      this.leaveInStore(job);
    }
  }

  /** Jobs that nobody could have before are looked at once more. */
  private lookAgain(unwanted: readonly Job[]): void {
    this.loadedTo = Math.min(this.loadedTo, this.leftFrom - 1);
    this.leftFrom = Number.POSITIVE_INFINITY;
    for (const job of unwanted) this.leaveInStore(job);
  }

  private leaveInStore(job: Job): void {
    this.forget(job);
    this.leftFrom = Math.min(this.leftFrom, job.seq);
  }

  private offer(lane: Lane): void {
    const { first } = lane;
    if (first === undefined) return;
    let chosen: JobMember | undefined;
    for (const member of lane.eligible) {
      if (!this.hasCredit(member)) continue;
      if (chosen === undefined || isBefore(member, chosen)) chosen = member;
    }
    if (chosen) this.handOut(chosen, first);
  }

  /** As much as it has credit for. */
  private serve(member: JobMember): void {
    while (this.hasCredit(member)) {
      const job = this.lanes.firstFor(member);
      if (job === undefined) return;
      this.handOut(member, job);
    }
  }

  private get isFull(): boolean {
    return this.lanes.size + this.fetching >= this.window.jobs || this.bytes >= this.window.bytes;
  }

  private hasCredit(member: JobMember): boolean {
    return member.isReady && member.load < this.chosen.prefetch;
  }

  private handOut(member: JobMember, job: Job): void {
    const { message } = job;
    this.keepAt(member, job);
    job.deliveries++;
    member.turn = ++this.turn;
    this.counts.handedOut++;
    if (job.deliveries > 1) this.counts.redelivered++;
    if (message) member.recipient.take(job.seq, message, job.deliveries);
  }

  private keepAt(member: JobMember, job: Job): void {
    this.release(job.seq);
    this.lanes.remove(job);
    this.forgetMessage(job);
    job.state = 'inFlight';
    job.member = member;
    member.jobs.add(job);
    this.flying++;
    this.deadlines.add(job, this.chosen.ackSeconds * 1_000, this.now());
  }

  private release(seq: number): void {
    this.reserved.get(seq)?.reserved.delete(seq);
    this.reserved.delete(seq);
  }

  private takeFrom(job: Job): void {
    this.deadlines.remove(job);
    job.member?.jobs.delete(job);
    job.member = undefined;
    this.flying--;
  }

  private remove(job: Job): void {
    this.lanes.remove(job);
    this.forget(job);
  }

  private forget(job: Job): void {
    this.forgetMessage(job);
    job.state = 'over';
    this.jobs.delete(job.seq);
    this.touched?.add(job.seq);
  }

  private forgetMessage(job: Job): void {
    if (job.message === undefined) return;
    job.message = undefined;
    this.bytes -= job.bytes;
  }
}

const isBefore = (one: JobMember, other: JobMember): boolean =>
  (one.load - other.load || one.turn - other.turn) < 0;
