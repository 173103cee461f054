import type { GroupCommand, GroupMember } from '@roomwire/shared/wire/bus/groupRecord';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';

/** What a member asks of its group, and may change. */
export type Asked = Pick<GroupMember, 'filters' | 'own'>;

/** The state machine's view of a local member. Its methods are outputs of the machine. */
export interface LocalMember extends Omit<GroupMember, 'number'> {
  /** Assigned by the machine; replaced after the other gateways have removed the member. */
  number: number;
  /** Called between two messages of the topic when the member's join or a change takes effect, with what is in force from then on. */
  entered(inForce: Asked): void;
  /** False before `ready` and after the client has disconnected. */
  deliver(message: LiveMessage): boolean;
}

/** The local members: the current ones, and those that the others know once they have read all commands. */
export class LocalMembers {
  private readonly present = new Map<number, LocalMember>();
  private readonly entered = new Set<LocalMember>();
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

  /** The members whose clients have been told that they are. */
  get inForce(): readonly LocalMember[] {
    return [...this.entered];
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

  /** A join has taken effect. Returns false for an unknown member. */
  enter(joined: Asked & Pick<GroupMember, 'number'>): boolean {
    const member = this.present.get(joined.number);
    if (member === undefined) return false;
    this.entered.add(member);
    member.entered(joined);
    return true;
  }

  /** Returns false for an unknown member. */
  remove(member: LocalMember, left: () => void): boolean {
    if (!this.has(member)) return false;
    this.present.delete(member.number);
    this.entered.delete(member);
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
    return members.map(({ number, actorTokenId, filters, acks, isPersistent, own }) => {
      this.announced.add(number);
      return { number, actorTokenId, filters, acks, isPersistent, own };
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
  /** Until this command has been read back, the others may have removed the gateway. */
  private checkRef = 0;

  constructor(append: (command: GroupCommand, ref: number) => void) {
    this.append = append;
  }

  get areRead(): boolean {
    return this.lastRead === this.lastAppended;
  }

  hasRead(ref: number): boolean {
    return ref <= this.lastRead;
  }

  /** Returns the number of its record. */
  add(command: GroupCommand): number {
    const ref = ++this.lastAppended;
    this.append(command, ref);
    return ref;
  }

  /** The process may have been paused long enough for the others to remove its members. */
  suspect(): void {
    this.mayHavePaused = true;
  }

  /** Whether the members are certainly still in the group; appends a check if not. */
  areInForce(): boolean {
    if (this.mayHavePaused) {
      this.mayHavePaused = false;
      this.checkRef = this.add({ kind: 'check' });
    }
    return this.checkRef === 0;
  }

  /** A command has been read back. Returns whether it was the pending check. */
  read(ref: number): boolean {
    this.lastRead = Math.max(this.lastRead, ref);
    if (this.checkRef === 0 || ref < this.checkRef) return false;
    this.checkRef = 0;
    return true;
  }
}
