import type { JobOptions } from '@roomwire/shared/ports/jobGroups';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { EarlierReturns, type ReturnedJob } from './earlierReturns.js';
import { HandOuts } from './handOuts.js';
import type { Job, JobFields, JobMember, JobWishes } from './job.js';
import type { JobCounts } from './jobCounts.js';
import { JobLoading } from './jobLoading.js';
import { JobMemory } from './jobMemory.js';
import type { JobOutputs } from './jobOutputs.js';
import type { JobWindow } from './jobWindow.js';
import { WaitingJobs } from './waitingJobs.js';

export interface JobQueueDeps {
  readonly window: JobWindow;
  readonly counts: JobCounts;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Most jobs are done by then. */
const notedAfterMs = 1_000;

/**
 * The jobs of one group: who gets which, and when one comes back. All of them are in the store; in memory are those that are next, and without
 * their messages those that are in flight or delayed. No I/O, no clock, no chance.
 */
export class JobQueue {
  /** Of the jobs that are in the store alone. */
  readonly loading: JobLoading;
  private readonly outputs: JobOutputs;
  private readonly counts: JobCounts;
  private readonly now: () => number;
  private readonly memory: JobMemory;
  private readonly handOuts: HandOuts;
  private readonly waiting: WaitingJobs;
  private readonly returns: EarlierReturns;

  constructor(
    { options, lastSeq }: { readonly options: JobOptions; readonly lastSeq: number },
    { window, counts, now }: JobQueueDeps,
    outputs: JobOutputs,
  ) {
    const memory = new JobMemory(lastSeq);
    const handOuts = new HandOuts(options, { memory, counts, now });
    this.waiting = new WaitingJobs({ memory, handOuts, window, outputs, now });
    const { waiting } = this;
    this.returns = new EarlierReturns({ memory, handOuts, waiting, outputs, now });
    this.loading = new JobLoading({ memory, handOuts, window, returns: this.returns });
    this.memory = memory;
    this.handOuts = handOuts;
    this.counts = counts;
    this.now = now;
    this.outputs = outputs;
  }

  get members(): ReadonlySet<JobMember> {
    return this.handOuts.members;
  }

  get inFlight(): number {
    return this.handOuts.inFlight;
  }

  /** When the oldest job in memory was added; undefined without any. */
  get oldestAt(): number | undefined {
    return this.memory.oldestAt;
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
    if (this.memory.grow(fields.seq) && !this.waiting.isFull)
      this.waiting.makeReady(this.memory.append(fields));
  }

  /** The newest member's options hold. */
  choose(options: JobOptions): void {
    this.handOuts.choose(options);
  }

  join(member: JobMember): void {
    this.lookAgain(member);
  }

  /** It has them from an earlier owner: they are in flight, as if they had been handed out now. */
  adopt(member: JobMember, seqs: readonly number[]): void {
    for (const seq of seqs) {
      const job = this.memory.get(seq);
      if (job?.state === 'inFlight' || job?.state === 'dying' || seq > this.memory.lastSeq) continue;
      if (job !== undefined) this.handOuts.keepAt(member, job);
      else this.handOuts.reserve(member, seq);
    }
    for (const seq of this.handOuts.reservedSeqs) this.memory.readAgainFrom(seq);
  }

  /** Given back to an earlier owner, who may not have stored that. */
  takeReturns(returned: readonly ReturnedJob[]): void {
    for (const { seq, delayMs, delivery } of returned) this.returns.take(seq, delayMs, delivery);
  }

  ask(member: JobMember, wishes: JobWishes): void {
    member.ask(wishes);
    this.lookAgain(member);
    this.handOuts.serveAll();
  }

  /** Their clients can have jobs from now on. */
  ready(...members: readonly JobMember[]): void {
    for (const member of members) member.isReady = true;
    const [only, ...others] = members;
    if (others.length > 0) this.handOuts.serveAll();
    else if (only) this.handOuts.serve(only);
  }

  /** What it has not acknowledged goes to others, and does not count towards `maxDeliveries`. */
  leave(member: JobMember): void {
    if (!this.members.has(member)) return;
    const { unfinished, unwanted } = this.handOuts.left(member);
    for (const job of unwanted) this.memory.leaveInStore(job);
    for (const job of unfinished) {
      this.outputs.changed(job, 0);
      this.waiting.handBack(job);
    }
  }

  /** By whoever had it at any time. */
  settle(seq: number): void {
    const job = this.memory.get(seq);
    if (job === undefined) {
      this.handOuts.release(seq);
      if (seq <= this.memory.lastSeq && this.memory.seek(seq)) this.outputs.settleUnseen(seq);
      return;
    }
    if (job.state === 'dying') return;
    const { member } = job;
    if (member) this.handOuts.takeBack(job);
    this.remove(job);
    this.counts.acknowledged++;
    this.outputs.settled(job);
    if (member) this.handOuts.serve(member);
  }

  /** Passed over where the member does not have it. */
  giveBack(member: JobMember, seq: number, delayMs: number): void {
    const job = this.memory.get(seq);
    if (job === undefined) return this.giveBackReserved(member, seq, delayMs);
    if (job.member !== member) return;
    this.counts.givenBack++;
    this.waiting.failed(job, delayMs);
    this.handOuts.serve(member);
  }

  /** As `giveBack`. */
  progress(member: JobMember, seq: number): void {
    const job = this.memory.get(seq);
    if (job?.member === member) this.handOuts.prolong(job);
  }

  /** The message of a job that was asked for; undefined where it is not there any more. */
  fetched(seq: number, message: LiveMessage | undefined): void {
    this.waiting.fetched(this.memory.get(seq), message);
  }

  /** The job is a dead letter. */
  buried(seq: number): void {
    const job = this.memory.get(seq);
    if (job === undefined) return;
    this.remove(job);
    this.outputs.settled(job);
  }

  /** The store has none of these acknowledged jobs any more. */
  sought(seqs: readonly number[]): void {
    for (const seq of seqs) this.memory.endSeek(seq);
  }

  /** One of too many, or a job that is too old: nobody gets it any more. Not one that a member has, or has acknowledged. */
  withdraw(seq: number): boolean {
    if (this.memory.isSought(seq)) return false;
    const job = this.memory.get(seq);
    if (job === undefined) {
      this.memory.touch(seq);
      return true;
    }
    if (job.state === 'inFlight' || job.state === 'dying') return false;
    this.remove(job);
    return true;
  }

  /** Returns what is overdue, and hands out what was delayed. */
  tick(): void {
    const now = this.now();
    for (let job = this.handOuts.overdue(now); job; job = this.handOuts.overdue(now)) {
      const { member } = job;
      this.counts.timedOut++;
      this.waiting.failed(job, 0);
      if (member) this.handOuts.serve(member);
    }
    this.waiting.tick();
  }

  /** Once a second: whoever takes over after a kill learns of deliveries that last. */
  noteDeliveries(): void {
    for (const job of this.handOuts.lasting(notedAfterMs)) {
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

  /** For a new member, or one that asks for something else. */
  private lookAgain(member: JobMember): void {
    const unwanted = this.handOuts.joined(member);
    this.memory.readLeftAgain();
    for (const job of unwanted) this.memory.leaveInStore(job);
  }

  /** It has the job from an earlier owner. */
  private giveBackReserved(member: JobMember, seq: number, delayMs: number): void {
    if (this.handOuts.holderOf(seq) !== member) return;
    this.counts.givenBack++;
    this.handOuts.release(seq);
    this.returns.take(seq, delayMs);
  }

  private remove(job: Job): void {
    this.handOuts.remove(job);
    this.memory.forget(job);
  }
}
