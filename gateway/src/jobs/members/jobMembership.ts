import { setTimeout as pause } from 'node:timers/promises';
import type { JobOptions } from '@roomwire/shared/ports/jobGroups';
import type { JobGroupOwners } from '@roomwire/shared/ports/jobStore';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { backOffMs } from '@roomwire/shared/runtime/waiting';
import { OtherKindOfGroup } from '../owner/otherKindOfGroup.js';
import type { ReturnedJob } from '../queue/earlierReturns.js';
import type { JobRecipient, JobWishes } from '../queue/job.js';
import type { HeldJobs, JobHolder } from './heldJobs.js';
import { leftOf, SaidLately } from './saidLately.js';
import { SlowReader, type DeliveredJob } from './slowReader.js';

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
  readonly givenBack: readonly ReturnedJob[];
}

/** A membership as the owner of the group has it. */
export interface JoinedGroup extends JobHolder {
  /** Resolves when it is in force. */
  ask(wishes: JobWishes, options: JobOptions): Promise<void>;
  /** Jobs may come. */
  ready(): void;
  leave(): void;
  /** What was said before is stored; monotonic milliseconds. */
  readonly storedUntil: number;
  /** Another process owns the group. */
  abandon(): void;
}

export interface MembershipDeps {
  /** Joins the group wherever its owner is. */
  readonly join: (request: JobMemberRequest) => Promise<JoinedGroup>;
  readonly left: () => void;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

export interface JobMemberOptions extends Omit<JobMemberRequest, 'held' | 'settled' | 'givenBack'> {
  readonly held: HeldJobs;
  readonly entered: () => void;
  readonly deliver: (message: LiveMessage, delivery: number) => void;
  /** Whether the connection reads as fast as it is written to. */
  readonly hasRoom: () => boolean;
  /** The group has been deleted. */
  readonly ended: () => void;
}

/** A member that has left says once more what it has acknowledged for so long. */
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
  /** What its client has not acknowledged, and which delivery that was. */
  private readonly handed = new Map<number, number>();
  private readonly said = new SaidLately();
  private wishes: JobWishes;
  private jobs: JobOptions;
  private state: 'opening' | 'joined' | 'left' = 'opening';
  private isReleased = false;
  private readonly reader: SlowReader;

  constructor(options: JobMemberOptions, deps: MembershipDeps) {
    this.group = options.name;
    this.options = options;
    this.deps = deps;
    this.wishes = options.wishes;
    this.jobs = options.options;
    this.reader = new SlowReader({ hasRoom: options.hasRoom, hand: (job) => this.hand(job) });
  }

  /** Resolves when the join takes effect. Rejects, having left, with `OtherKindOfGroup`, or where an engine cannot be reached. */
  async join(): Promise<void> {
    try {
      const joined = await this.deps.join(this.request());
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
    this.forgetStored();
    const former = this.joined;
    this.joined = undefined;
    former?.abandon();
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
    this.reader.clear();
    this.handed.clear();
    this.forgetStored();
    this.joined?.leave();
    if (this.said.count === 0) this.deps.left();
    else setTimeout(() => this.deps.left(), settlingMs).unref();
  }

  /** The client has the answer to its subscribe. */
  release(): void {
    this.isReleased = true;
    if (this.state === 'joined') this.joined?.ready();
  }

  take(seq: number, message: LiveMessage, delivery: number): void {
    if (!this.hasLeft) this.reader.take({ seq, message, delivery });
  }

  ended(): void {
    if (!this.hasLeft) this.options.ended();
  }

  settle(seq: number): void {
    this.handed.delete(seq);
    this.forgetStored();
    this.said.add({ seq, at: this.deps.now() });
    this.joined?.settle(seq);
  }

  giveBack(seq: number, delayMs: number): void {
    const delivery = this.handed.get(seq);
    this.handed.delete(seq);
    this.forgetStored();
    const at = this.deps.now();
    if (delivery !== undefined) this.said.add({ seq, at, returned: { delivery, dueAt: at + delayMs } });
    this.joined?.giveBack(seq, delayMs);
  }

  progress(seq: number): void {
    this.joined?.progress(seq);
  }

  /** One that has left joins for what it has acknowledged. */
  private get mustJoin(): boolean {
    return this.joined === undefined && (!this.hasLeft || this.said.count > 0);
  }

  private async tryRejoin(failures: number): Promise<void> {
    try {
      const { count } = this.said;
      const joined = await this.deps.join(this.request());
      this.joined = joined;
      for (const { seq, returned } of this.said.behind(count))
        if (returned) joined.giveBack(seq, leftOf(returned.dueAt, this.deps.now()));
        else joined.settle(seq);
      if (this.hasLeft) return joined.leave();
      await this.askAgain(joined);
    } catch (error) {
      if (error instanceof OtherKindOfGroup) return this.endedMeanwhile();
      await this.pauseAfter(failures);
    }
  }

  /** The group was another one in between: it has none of the jobs that were acknowledged. */
  private endedMeanwhile(): void {
    this.said.clear();
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

  private forgetStored(): void {
    if (this.joined) this.said.forgetBefore(this.joined.storedUntil);
  }

  private request(): JobMemberRequest {
    const said = this.said.repeat(this.deps.now());
    const held = [...this.handed.keys(), ...this.reader.seqs];
    return { ...this.options, wishes: this.wishes, options: this.jobs, held, ...said };
  }

  private get hasLeft(): boolean {
    return this.state === 'left';
  }

  private hand({ seq, message, delivery }: DeliveredJob): void {
    const { held, deliver } = this.options;
    held.delivered(message.id, this, seq);
    this.handed.set(seq, delivery);
    if (this.handed.size > 2 * this.jobs.prefetch)
      this.handed.delete(this.handed.keys().next().value as number);
    deliver(message, delivery);
  }
}
