import { setTimeout as pause } from 'node:timers/promises';
import type { JobOptions } from '@roomwire/shared/ports/jobGroups';
import type { JobGroupOwners } from '@roomwire/shared/ports/jobStore';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { backOffMs } from '@roomwire/shared/runtime/waiting';
import { OtherKindOfGroup } from '../owner/otherKindOfGroup.js';
import type { JobRecipient, JobWishes } from '../queue/job.js';
import type { HeldJobs, JobHolder } from './heldJobs.js';

/** Names a group, and what it belongs to. */
export interface JobGroupPlace {
  readonly owners: JobGroupOwners;
  /** Internal, like the topic. */
  readonly room: string;
  readonly topic: string;
  readonly name: string;
}

export interface JobMemberRequest extends JobGroupPlace {
  readonly actorTokenId: string;
  readonly wishes: JobWishes;
  readonly options: JobOptions;
  /** As in `JoiningMember`. */
  readonly held: readonly number[];
  readonly settled: readonly number[];
}

/** A membership as the owner of the group has it. */
export interface JoinedGroup extends JobHolder {
  /** Resolves when it is in force. */
  ask(wishes: JobWishes, options: JobOptions): Promise<void>;
  /** Jobs may come. */
  ready(): void;
  leave(): void;
  /** Jobs whose acknowledgement an owner that has died may have lost. */
  unconfirmed(): readonly number[];
  /** Another process owns the group. */
  abandon(): void;
}

export interface MembershipDeps {
  /** Joins the group wherever its owner is. */
  readonly join: (request: JobMemberRequest) => Promise<JoinedGroup>;
  readonly left: () => void;
}

export interface JobMemberOptions extends Omit<JobMemberRequest, 'held' | 'settled'> {
  readonly held: HeldJobs;
  readonly entered: () => void;
  readonly deliver: (message: LiveMessage, delivery: number) => void;
  /** Whether the connection reads as fast as it is written to. */
  readonly hasRoom: () => boolean;
  /** The group has been deleted. */
  readonly ended: () => void;
}

interface WaitingJob {
  readonly seq: number;
  readonly message: LiveMessage;
  readonly delivery: number;
}

const pollMs = 10;
/** What was acknowledged before, its owner has stored or lost. */
const settlingMs = 15_000;
const betweenTries = { firstMs: 100, longestMs: 2_000 };

/** The membership of one subscription in a group with jobs. */
export class JobMembership implements JobRecipient, JobHolder {
  readonly group: string;
  private readonly options: JobMemberOptions;
  private readonly deps: MembershipDeps;
  /** Undefined before it has joined, and while the group has no owner. */
  private joined: JoinedGroup | undefined;
  private isRejoining = false;
  /** What its client has not acknowledged. */
  private readonly handed = new Set<number>();
  /** What it has acknowledged while the group had no owner. */
  private unsent: number[] = [];
  private wishes: JobWishes;
  private jobs: JobOptions;
  private state: 'opening' | 'joined' | 'left' = 'opening';
  private isReleased = false;
  /** Jobs for a slow reader, by their numbers. */
  private readonly waiting = new Map<number, WaitingJob>();
  private timer: NodeJS.Timeout | undefined;

  constructor(options: JobMemberOptions, deps: MembershipDeps) {
    this.group = options.name;
    this.options = options;
    this.deps = deps;
    this.wishes = options.wishes;
    this.jobs = options.options;
  }

  /** Resolves when the join takes effect. Rejects, having left, with `OtherKindOfGroup`, or where an engine cannot be reached. */
  async join(): Promise<void> {
    try {
      const joined = await this.deps.join(this.request([]));
      if (this.hasLeft) return joined.leave();
      this.joined = joined;
    } catch (error) {
      this.leave();
      throw error;
    }
    this.state = 'joined';
    this.options.entered();
    if (this.isReleased) this.joined.ready();
  }

  /** The group has another owner, or the owner has taken the gateway for dead. */
  async rejoin(): Promise<void> {
    if (this.state === 'opening') return;
    const former = this.joined;
    this.joined = undefined;
    former?.abandon();
    this.unsent.unshift(...(former?.unconfirmed() ?? []));
    if (this.isRejoining) return;
    this.isRejoining = true;
    for (let failures = 1; this.mustJoin; failures++) await this.tryRejoin(failures);
    this.isRejoining = false;
  }

  /** Resolves when they are in force. */
  async change(wishes: JobWishes, jobs: JobOptions): Promise<void> {
    this.wishes = wishes;
    this.jobs = jobs;
    await this.joined?.ask(wishes, jobs);
  }

  /** What was not acknowledged goes to others. */
  leave(): void {
    if (this.hasLeft) return;
    this.state = 'left';
    clearInterval(this.timer);
    this.waiting.clear();
    this.handed.clear();
    const isSettled = this.unsent.length === 0 && (this.joined?.unconfirmed() ?? []).length === 0;
    this.joined?.leave();
    if (isSettled) this.deps.left();
    else setTimeout(() => this.deps.left(), settlingMs).unref();
  }

  /** The client has the answer to its subscribe. */
  release(): void {
    this.isReleased = true;
    if (this.state === 'joined') this.joined?.ready();
  }

  take(seq: number, message: LiveMessage, delivery: number): void {
    if (this.hasLeft) return;
    if (this.waiting.size === 0 && this.options.hasRoom()) return this.hand({ seq, message, delivery });
    this.waiting.set(seq, { seq, message, delivery });
    this.timer ??= setInterval(() => this.handWaiting(), pollMs).unref();
  }

  ended(): void {
    if (!this.hasLeft) this.options.ended();
  }

  settle(seq: number): void {
    this.handed.delete(seq);
    if (this.joined) this.joined.settle(seq);
    else this.unsent.push(seq);
  }

  giveBack(seq: number, delayMs: number): void {
    this.handed.delete(seq);
    this.joined?.giveBack(seq, delayMs);
  }

  progress(seq: number): void {
    this.joined?.progress(seq);
  }

  /** One that has left joins for what it has acknowledged. */
  private get mustJoin(): boolean {
    return this.joined === undefined && (!this.hasLeft || this.unsent.length > 0);
  }

  private async tryRejoin(failures: number): Promise<void> {
    try {
      const { length } = this.unsent;
      const joined = await this.deps.join(this.request([...this.unsent]));
      this.joined = joined;
      const since = this.unsent.slice(length);
      this.unsent = [];
      for (const seq of since) joined.settle(seq);
      if (this.hasLeft) return joined.leave();
      await this.askAgain(joined);
    } catch (error) {
      if (error instanceof OtherKindOfGroup) return this.endedMeanwhile();
      await this.pauseAfter(failures);
    }
  }

  /** The group was another one in between: it has none of the jobs that were acknowledged. */
  private endedMeanwhile(): void {
    this.unsent = [];
    this.ended();
  }

  /** What its client wants may have changed while it joined. Tried on until the owner answers, or is another one. */
  private async askAgain(joined: JoinedGroup): Promise<void> {
    for (let failures = 1; this.joined === joined && !this.hasLeft; failures++)
      try {
        await joined.ask(this.wishes, this.jobs);
        if (this.isReleased) joined.ready();
        return;
      } catch {
        await this.pauseAfter(failures);
      }
  }

  private async pauseAfter(failures: number): Promise<void> {
    await pause(backOffMs(betweenTries, failures), undefined, { ref: false });
  }

  private request(settled: readonly number[]): JobMemberRequest {
    const held = [...this.handed, ...this.waiting.keys()];
    return { ...this.options, wishes: this.wishes, options: this.jobs, held, settled };
  }

  private get hasLeft(): boolean {
    return this.state === 'left';
  }

  private hand({ seq, message, delivery }: WaitingJob): void {
    const { held, deliver } = this.options;
    held.delivered(message.id, this, seq);
    this.handed.add(seq);
    if (this.handed.size > 2 * this.jobs.prefetch)
      this.handed.delete(this.handed.values().next().value as number);
    deliver(message, delivery);
  }

  private handWaiting(): void {
    for (const [seq, job] of this.waiting) {
      if (!this.options.hasRoom()) return;
      this.waiting.delete(seq);
      this.hand(job);
    }
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
