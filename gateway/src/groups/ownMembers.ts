import type { GroupMember } from '@roomwire/shared/wire/bus/groupRecord';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';

/** A member on this gateway. */
export interface LocalMember {
  /** A new one when the others have taken the gateway for dead. */
  number: number;
  readonly actorTokenId: string;
  readonly filters: GroupMember['filters'];
  readonly acks: boolean;
  readonly isPersistent: boolean;
  /** It takes part from here on; again after a change of its filters. Between two messages of the topic. */
  entered(): void;
  /** Not where its connection is about to end: what it would be given is somebody else's when it has. */
  readonly isReachable: boolean;
  /** Whether the message is done with that; otherwise `done` is called for it. */
  deliver(message: LiveMessage): boolean;
}

/** A gateway's own members of a group, as they are, and as the others will know them when they have read all that it has said. */
export class OwnMembers {
  private readonly here = new Map<number, LocalMember>();
  private readonly said = new Set<number>();
  /** Who waits for a leave to be read. */
  private readonly leaving = new Map<number, () => void>();

  get isEmpty(): boolean {
    return this.here.size === 0;
  }

  /** Whether the others will know of a member. */
  get areKnown(): boolean {
    return this.said.size > 0;
  }

  get all(): readonly LocalMember[] {
    return [...this.here.values()];
  }

  get(number: number): LocalMember | undefined {
    return this.here.get(number);
  }

  has(member: LocalMember): boolean {
    return this.here.has(member.number);
  }

  isLeaving(number: number): boolean {
    return this.leaving.has(number);
  }

  add(member: LocalMember): void {
    this.here.set(member.number, member);
  }

  /** The join of these is on its way. */
  announced(members: readonly LocalMember[]): void {
    for (const { number } of members) this.said.add(number);
  }

  /** Its leave is on its way. False for one that was not there. */
  remove({ number }: LocalMember, left: () => void): boolean {
    if (!this.here.delete(number)) return false;
    this.said.delete(number);
    this.leaving.set(number, left);
    return true;
  }

  /** Its leave has been read. */
  hasLeft(number: number): void {
    this.leaving.get(number)?.();
    this.leaving.delete(number);
  }

  /** Numbers are given once: those that are out for the others do not come back. Returns those that have new ones. */
  renumber(upTo: number, nextNumber: () => number): readonly LocalMember[] {
    const out = this.all.filter(({ number }) => number <= upTo);
    for (const member of out) {
      this.here.delete(member.number);
      this.said.delete(member.number);
      member.number = nextNumber();
      this.here.set(member.number, member);
    }
    return out;
  }
}

export const asMember = (member: LocalMember): GroupMember => {
  const { number, actorTokenId, filters, acks, isPersistent } = member;
  return { number, actorTokenId, filters, acks, isPersistent };
};
