import type { JobOptions } from '@roomwire/shared/ports/jobGroups';
import type { JoinedGroup } from './members/jobMembership.js';
import type { OwnedGroup } from './owner/ownedGroup.js';
import type { JobMember, JobWishes } from './queue/job.js';

/** A member on the gateway that owns its group. */
export class LocalMember implements JoinedGroup {
  private readonly group: OwnedGroup;
  private readonly member: JobMember;

  constructor(group: OwnedGroup, member: JobMember) {
    this.group = group;
    this.member = member;
  }

  async ask(wishes: JobWishes, options: JobOptions): Promise<void> {
    this.group.members.ask(this.member, wishes, options);
  }

  ready(): void {
    this.group.members.ready(this.member);
  }

  leave(): void {
    this.group.members.leave(this.member);
  }

  settle(seq: number): void {
    if (!this.group.isClosed) this.group.members.settle(seq);
  }

  get storedUntil(): number {
    return this.group.storedUntil;
  }

  abandon(): void {
    this.group.members.leave(this.member);
  }

  giveBack(seq: number, delayMs: number): void {
    if (!this.group.isClosed) this.group.members.giveBack(this.member, seq, delayMs);
  }

  progress(seq: number): void {
    this.group.members.progress(this.member, seq);
  }
}
