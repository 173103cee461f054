import type { JobOptions } from '@roomwire/shared/ports/jobGroups';
import { Deadlines } from './deadlines.js';
import type { Job, JobMember } from './job.js';
import type { JobCounts } from './jobCounts.js';
import type { JobMemory } from './jobMemory.js';
import type { Lane } from './lane.js';
import { Lanes } from './lanes.js';

export interface HandOutsDeps {
  readonly memory: Pick<JobMemory, 'forgetMessage'>;
  readonly counts: JobCounts;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Who has which job, and until when; and who is next for those that are ready. */
export class HandOuts {
  readonly members = new Set<JobMember>();
  private readonly deps: HandOutsDeps;
  private readonly lanes = new Lanes();
  private readonly deadlines = new Deadlines();
  /** Who has jobs that are not in memory yet. */
  private readonly reserved = new Map<number, JobMember>();
  private chosen: JobOptions;
  private flying = 0;
  private turn = 0;

  constructor(options: JobOptions, deps: HandOutsDeps) {
    this.chosen = options;
    this.deps = deps;
  }

  get options(): JobOptions {
    return this.chosen;
  }

  get inFlight(): number {
    return this.flying;
  }

  /** How many jobs are ready. */
  get ready(): number {
    return this.lanes.size;
  }

  /** The newest member's options hold. */
  choose(options: JobOptions): void {
    const hasMoreCredit = options.prefetch > this.chosen.prefetch;
    this.chosen = options;
    if (hasMoreCredit) this.serveAll();
  }

  /** A new member, or one that asks for something else. Returns jobs that none of them may have: they are here no more. */
  joined(member: JobMember): readonly Job[] {
    this.members.add(member);
    return this.lanes.joined(member);
  }

  /** Returns what it had, and, as `joined`, what nobody may have any more. */
  left(member: JobMember): { readonly unfinished: readonly Job[]; readonly unwanted: readonly Job[] } {
    this.members.delete(member);
    member.isReady = false;
    for (const seq of member.reserved) this.release(seq);
    const unfinished = [...member.jobs].sort((one, other) => one.seq - other.seq);
    for (const job of unfinished) this.takeBack(job);
    return { unfinished, unwanted: this.lanes.left(member) };
  }

  /** A job is ready. Whether a member may have it, or there is none at all; otherwise it is not here. */
  offer(job: Job): boolean {
    const lane = this.lanes.add(job);
    if (lane.eligible.size > 0) this.handOutFirst(lane);
    else if (this.members.size > 0) {
      this.lanes.remove(job);
      return false;
    }
    return true;
  }

  /** It is ready no longer. */
  remove(job: Job): void {
    this.lanes.remove(job);
  }

  /** One job each in turn, so that what waits is divided among them. */
  serveAll(): void {
    let served = [...this.members].sort(order);
    while (served.length > 0 && this.ready > 0) served = served.filter((member) => this.serveOne(member));
  }

  /** As much as it has credit for. */
  serve(member: JobMember): void {
    while (this.serveOne(member));
  }

  /** The member has it from now on. */
  keepAt(member: JobMember, job: Job): void {
    this.release(job.seq);
    this.lanes.remove(job);
    this.deps.memory.forgetMessage(job);
    job.state = 'inFlight';
    job.member = member;
    member.jobs.add(job);
    this.flying++;
    this.startTime(job);
  }

  /** The member has it no longer. */
  takeBack(job: Job): void {
    this.deadlines.remove(job);
    job.member?.jobs.delete(job);
    job.member = undefined;
    this.flying--;
  }

  /** `ackSeconds` begin anew. */
  prolong(job: Job): void {
    this.deadlines.remove(job);
    this.startTime(job);
  }

  /** One whose time is over; it stays so until it is taken back. */
  overdue(now: number): Job | undefined {
    return this.deadlines.overdue(now);
  }

  /** Those that were handed out, or prolonged, so long ago. */
  lasting(milliseconds: number): Iterable<Job> {
    return this.deadlines.since(this.deps.now() - milliseconds);
  }

  /** The member has a job that is not in memory yet. */
  reserve(member: JobMember, seq: number): void {
    this.release(seq);
    this.reserved.set(seq, member);
    member.reserved.add(seq);
  }

  holderOf(seq: number): JobMember | undefined {
    return this.reserved.get(seq);
  }

  get reservedSeqs(): Iterable<number> {
    return this.reserved.keys();
  }

  release(seq: number): void {
    this.reserved.get(seq)?.reserved.delete(seq);
    this.reserved.delete(seq);
  }

  private startTime(job: Job): void {
    this.deadlines.add(job, this.chosen.ackSeconds * 1_000, this.deps.now());
  }

  private handOutFirst(lane: Lane): void {
    const { first } = lane;
    if (first === undefined) return;
    let chosen: JobMember | undefined;
    for (const member of lane.eligible) {
      if (!this.hasCredit(member)) continue;
      if (chosen === undefined || order(member, chosen) < 0) chosen = member;
    }
    if (chosen) this.handOut(chosen, first);
  }

  /** Whether there was one for it, and it had credit. */
  private serveOne(member: JobMember): boolean {
    const job = this.hasCredit(member) ? this.lanes.firstFor(member) : undefined;
    if (job === undefined) return false;
    this.handOut(member, job);
    return true;
  }

  private hasCredit(member: JobMember): boolean {
    return member.isReady && member.load < this.chosen.prefetch;
  }

  private handOut(member: JobMember, job: Job): void {
    const { message } = job;
    const { counts } = this.deps;
    this.keepAt(member, job);
    job.deliveries++;
    member.turn = ++this.turn;
    counts.handedOut++;
    if (job.deliveries > 1) counts.redelivered++;
    if (message) member.recipient.take(job.seq, message, job.deliveries);
  }
}

const order = (one: JobMember, other: JobMember): number => one.load - other.load || one.turn - other.turn;
