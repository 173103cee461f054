import type { GroupCommand, GroupMember } from '@roomwire/shared/wire/bus/groupRecord';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';

/** A member on this gateway, as the state machine knows it. Its methods are outputs of the machine. */
export interface LocalMember extends Omit<GroupMember, 'number'> {
  /** Given by the machine; a new one after the other gateways have removed the member. */
  number: number;
  /** It takes part from here on, between two messages of the topic; again after a change of its filters. */
  entered(): void;
  /** False where its client cannot be given anything: not yet, which `ready` ends, or not any more. */
  deliver(message: LiveMessage): boolean;
}

/** The members on this gateway: as they are now, and as the others will know them once they have read all commands. */
export class LocalMembers {
  private readonly present = new Map<number, LocalMember>();
  /** The numbers whose join has been appended. */
  private readonly announced = new Set<number>();
  /** Called when the leave has been read. */
  private readonly leaving = new Map<number, () => void>();
  private lastNumber: number;

  constructor(lastNumber: number) {
    this.lastNumber = lastNumber;
  }

  /** Every number up to it has been used. */
  get highestNumber(): number {
    return this.lastNumber;
  }

  get isEmpty(): boolean {
    return this.present.size === 0;
  }

  /** Whether the join of a member has been appended. */
  get areAnnounced(): boolean {
    return this.announced.size > 0;
  }

  get all(): readonly LocalMember[] {
    return [...this.present.values()];
  }

  get(number: number): LocalMember | undefined {
    return this.present.get(number);
  }

  has(member: LocalMember): boolean {
    return this.present.get(member.number) === member;
  }

  isLeaving(number: number): boolean {
    return this.leaving.has(number);
  }

  add(member: LocalMember): void {
    member.number = ++this.lastNumber;
    this.present.set(member.number, member);
  }

  /** False for a member that was not there. */
  remove(member: LocalMember, left: () => void): boolean {
    if (!this.has(member)) return false;
    this.present.delete(member.number);
    this.announced.delete(member.number);
    this.leaving.set(member.number, left);
    return true;
  }

  hasLeft(number: number): void {
    this.leaving.get(number)?.();
    this.leaving.delete(number);
  }

  /** The members as a join command has them. */
  announce(members: readonly LocalMember[]): readonly GroupMember[] {
    return members.map(({ number, actorTokenId, filters, acks, isPersistent }) => {
      this.announced.add(number);
      return { number, actorTokenId, filters, acks, isPersistent };
    });
  }

  /** Gives new numbers to the members that the others have removed, and returns them: a number is never used again. */
  renumber(upTo: number): readonly LocalMember[] {
    const removed = this.all.filter(({ number }) => number <= upTo);
    for (const member of removed) {
      this.present.delete(member.number);
      this.announced.delete(member.number);
      this.add(member);
    }
    return removed;
  }
}

/** The commands that this gateway has appended to the log, and how many of them it has read back. */
export class OwnCommands {
  private readonly append: (command: GroupCommand, ref: number) => void;
  private lastAppended = 0;
  private lastRead = 0;
  private mayHavePaused = false;
  /** Until it has read this command of its own back, the gateway may have been removed without knowing. */
  private checkRef = 0;

  constructor(append: (command: GroupCommand, ref: number) => void) {
    this.append = append;
  }

  get areRead(): boolean {
    return this.lastRead === this.lastAppended;
  }

  /** Returns the number of its record. */
  add(command: GroupCommand): number {
    const ref = ++this.lastAppended;
    this.append(command, ref);
    return ref;
  }

  /** The process may have paused for so long that the others have removed its members. */
  suspect(): void {
    this.mayHavePaused = true;
  }

  /** Whether the members are still in the group; where that is in doubt, a check is appended. */
  areInForce(): boolean {
    if (this.mayHavePaused) {
      this.mayHavePaused = false;
      this.checkRef = this.add({ kind: 'check' });
    }
    return this.checkRef === 0;
  }

  /** A command has been read back. Whether that has ended a doubt. */
  read(ref: number): boolean {
    this.lastRead = Math.max(this.lastRead, ref);
    if (this.checkRef === 0 || ref < this.checkRef) return false;
    this.checkRef = 0;
    return true;
  }
}
