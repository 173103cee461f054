import type { Clock } from '@roomwire/shared/ports/clock';
import type { JobOptions } from '@roomwire/shared/ports/jobGroups';
import type { ReturnedJob } from '../queue/earlierReturns.js';
import { JobMember, type JobRecipient, type JobWishes } from '../queue/job.js';
import type { JobQueue } from '../queue/jobQueue.js';
import type { Gathering } from './gathering.js';
import type { GroupDescription } from './groupDescription.js';
import type { JobReads } from './jobReads.js';

export interface GroupMembersDeps {
  readonly queue: JobQueue;
  readonly reads: Pick<JobReads, 'loadWanted'>;
  readonly description: Pick<GroupDescription, 'change'>;
  readonly gathered: Pick<Gathering, 'isOver' | 'done'>;
  readonly clock: Clock;
}

export interface JoiningMember {
  readonly actorTokenId: string;
  readonly wishes: JobWishes;
  readonly options: JobOptions;
  /** From an earlier owner of the group: jobs that it has, and those that it has acknowledged or given back a moment ago. */
  readonly held: readonly number[];
  readonly settled: readonly number[];
  readonly givenBack: readonly ReturnedJob[];
}

/** The members of a group, on any gateway, and what they say of its jobs. */
export class GroupMembers {
  private readonly deps: GroupMembersDeps;
  /** Their clients can have jobs, which nobody gets yet. */
  private readonly early: JobMember[] = [];
  private isOver = false;

  constructor(deps: GroupMembersDeps) {
    this.deps = deps;
  }

  get count(): number {
    return this.deps.queue.members.size;
  }

  join(joining: JoiningMember, recipient: JobRecipient): JobMember {
    const { queue, description } = this.deps;
    const { actorTokenId, wishes, options, held, settled, givenBack } = joining;
    const member = new JobMember(actorTokenId, wishes, recipient);
    for (const seq of settled) queue.settle(seq);
    queue.join(member);
    queue.adopt(member, held);
    queue.choose(options);
    queue.takeReturns(givenBack);
    description.change({ options, emptiedAt: null });
    this.settleDown();
    return member;
  }

  ask(member: JobMember, wishes: JobWishes, options: JobOptions): void {
    const { queue, description } = this.deps;
    queue.ask(member, wishes);
    queue.choose(options);
    description.change({ options });
    this.settleDown();
  }

  /** Nobody gets jobs before it is known which ones members have from an earlier owner. */
  ready(member: JobMember): void {
    const { gathered } = this.deps;
    if (gathered.isOver) return this.serve([member]);
    this.early.push(member);
    if (this.early.length === 1) void gathered.done.then(() => this.serve(this.early.splice(0)));
  }

  leave(member: JobMember): void {
    const { queue, description, clock } = this.deps;
    queue.leave(member);
    if (this.count === 0) description.change({ emptiedAt: clock.now() });
    this.settleDown();
  }

  settle(seq: number): void {
    this.deps.queue.settle(seq);
    this.settleDown();
  }

  giveBack(member: JobMember, seq: number, delayMs: number): void {
    this.deps.queue.giveBack(member, seq, delayMs);
    this.settleDown();
  }

  progress(member: JobMember, seq: number): void {
    this.deps.queue.progress(member, seq);
  }

  /** Nobody gets a job here any more. */
  close(): void {
    this.isOver = true;
  }

  /** The group has been deleted. */
  tellOfEnd(): void {
    for (const { recipient } of this.deps.queue.members) recipient.ended();
  }

  /** Several get their shares of what waits. */
  private serve(members: readonly JobMember[]): void {
    if (this.isOver) return;
    const { queue } = this.deps;
    queue.ready(...members.filter((member) => queue.members.has(member)));
    this.settleDown();
  }

  private settleDown(): void {
    this.deps.reads.loadWanted();
  }
}
