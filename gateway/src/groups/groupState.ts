import type { GroupMember, HeldMessage, KnownMember, MemberKey } from '@roomwire/shared/wire/bus/groupRecord';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { GroupMembers, type Member } from './groupMembers.js';
import { madeAt, Passed, type PassedRecord } from './passed.js';

export interface Held {
  readonly message: LiveMessage;
  assignee: Member | undefined;
  /** Whether this gateway has given it to its client. */
  isDelivered: boolean;
}

/** What a gateway that comes later has to know. */
export interface GroupSnapshot {
  readonly members: readonly KnownMember[];
  readonly awaiting: readonly string[];
  readonly held: readonly HeldMessage[];
  readonly isWaking: boolean;
  readonly collects: boolean;
  readonly passed: PassedRecord;
}

export interface GroupBounds {
  /** Messages that are not done. */
  readonly messages: number;
  readonly bytes: number;
}

/**
 * Who is in a worker group, and which of its messages are not done. The same on every gateway that has read the same
 * records: nothing in here asks for time, chance or place.
 */
export class GroupState {
  readonly members = new GroupMembers();
  /** Gateways with members that do not have the state yet. */
  readonly awaiting = new Set<string>();
  /** In the order in which they came. */
  readonly held = new Map<string, Held>();
  /** Messages that nobody has, is proposed for or is known to be kept from. */
  readonly loose = new Set<string>();
  /** What was recorded while nobody was there has not been given out yet, and nothing else is. */
  isWaking = false;
  /** Somebody has been here whose session outlasts its connection. */
  collects = false;
  readonly passed: Passed;
  /** Messages that were dropped because too many were not done. */
  dropped = 0;
  /** Messages that nobody has, and of those who are there nobody may have. */
  private readonly stuck = new Set<string>();
  private readonly bounds: GroupBounds;
  private bytes = 0;

  constructor(bounds: GroupBounds, passed: PassedRecord = { floorMs: 0, ids: [] }) {
    this.bounds = bounds;
    this.passed = new Passed(passed);
  }

  static of(bounds: GroupBounds, snapshot: GroupSnapshot): GroupState {
    const state = new GroupState(bounds, snapshot.passed);
    for (const member of snapshot.members) state.members.put(member);
    for (const gatewayId of snapshot.awaiting) state.awaiting.add(gatewayId);
    for (const [message, assignee] of snapshot.held) {
      state.hold(message);
      if (assignee) state.attach(message.id, state.members.get(assignee));
    }
    state.isWaking = snapshot.isWaking;
    state.collects = snapshot.collects;
    return state;
  }

  get snapshot(): GroupSnapshot {
    const { isWaking, collects, passed } = this;
    return {
      members: this.members.known,
      awaiting: [...this.awaiting],
      held: [...this.held.values()].map(({ message, assignee }) => [
        message,
        assignee ? [assignee.gatewayId, assignee.number] : null,
      ]),
      ...{ isWaking, collects, passed: passed.record },
    };
  }

  /** Whether it goes on collecting if its members are gone without having quit. */
  get mayCollect(): boolean {
    if (this.collects) return true;
    for (const { isPersistent } of this.members) if (isPersistent) return true;
    return false;
  }

  woken(collects: boolean): void {
    this.isWaking = false;
    this.collects ||= collects;
  }

  /** Milliseconds since 1970: of what was made earlier everything is done. */
  get doneUntil(): number {
    let until = this.passed.floorMs;
    for (const id of this.held.keys()) until = Math.min(until, madeAt(id));
    return until;
  }

  /** The gateway that says who gets what: the one with the state that has been here for longest. */
  get sequencer(): string | undefined {
    for (const { gatewayId } of this.members) if (!this.awaiting.has(gatewayId)) return gatewayId;
    return undefined;
  }

  /** Whether nobody else has a part in the group. */
  isAlone(gatewayId: string): boolean {
    return this.awaiting.size === 0 && this.members.areAllAt(gatewayId);
  }

  /** [WS-GROUP-3] A message that none of the members may have is not the group's. */
  take(message: LiveMessage): void {
    if (this.passed.has(message.id)) return;
    this.passed.add(message.id);
    if (!this.held.has(message.id) && this.members.isForAnybody(message)) this.hold(message);
  }

  /** Takes it in any case: it was the group's before. */
  takeBack(message: LiveMessage): void {
    this.passed.add(message.id);
    if (!this.held.has(message.id)) this.hold(message);
  }

  join(gatewayId: string, members: readonly GroupMember[]): void {
    for (const member of members) this.members.join(gatewayId, member);
    for (const id of this.stuck) this.loose.add(id);
    this.stuck.clear();
  }

  /** Those who quit do not want to know what comes; others may be back. */
  leave(gatewayId: string, numbers: readonly number[], quit = false): void {
    for (const number of numbers) {
      const member = this.members.get([gatewayId, number]);
      if (member?.isPersistent && !quit) this.collects = true;
      this.remove(member);
    }
    if (!this.members.isAt(gatewayId)) this.awaiting.delete(gatewayId);
  }

  /** Takes out the members of a gateway up to a number. */
  gone(gatewayId: string, upTo: number): void {
    for (const member of this.members.at(gatewayId)) {
      if (member.number > upTo) continue;
      if (member.isPersistent) this.collects = true;
      this.remove(member);
    }
    if (!this.members.isAt(gatewayId)) this.awaiting.delete(gatewayId);
  }

  choose(message: LiveMessage): Member | undefined {
    return this.members.choose(message);
  }

  /** The member is about to get one more, as far as the sequencer's next choices are concerned. */
  propose(id: string, member: Member): void {
    this.loose.delete(id);
    this.members.propose(member);
  }

  /** The proposal has become an assignment, or nothing. */
  withdrawProposal(id: string, key: MemberKey): void {
    const member = this.members.get(key);
    if (member) this.members.withdrawProposal(member);
    const held = this.held.get(id);
    if (held !== undefined && held.assignee === undefined) this.loose.add(id);
  }

  /** Nobody may have it, until somebody comes. */
  setAside(id: string): void {
    if (this.loose.delete(id)) this.stuck.add(id);
  }

  /** The first assignment of a message holds. Undefined where this one does not. */
  assign(id: string, member: MemberKey): Held | undefined {
    const held = this.held.get(id);
    if (held === undefined || held.assignee !== undefined) return undefined;
    return this.give(id, this.members.get(member));
  }

  done(id: string): void {
    const held = this.held.get(id);
    if (held === undefined) return;
    if (held.assignee) this.members.detach(held.assignee, id);
    this.held.delete(id);
    this.loose.delete(id);
    this.stuck.delete(id);
    this.bytes -= held.message.body.length;
  }

  private remove(member: Member | undefined): void {
    if (member === undefined) return;
    this.members.remove(member);
    for (const id of member.load) {
      const held = this.held.get(id) as Held;
      held.assignee = undefined;
      held.isDelivered = false;
      this.loose.add(id);
    }
  }

  private give(id: string, member: Member | undefined): Held | undefined {
    const held = this.attach(id, member);
    if (held !== undefined && member !== undefined) this.members.hadTurn(member);
    return held;
  }

  private attach(id: string, member: Member | undefined): Held | undefined {
    const held = this.held.get(id);
    if (held === undefined || member === undefined) return undefined;
    held.assignee = member;
    this.members.attach(member, id);
    this.loose.delete(id);
    this.stuck.delete(id);
    return held;
  }

  private hold(message: LiveMessage): void {
    this.held.set(message.id, { message, assignee: undefined, isDelivered: false });
    this.loose.add(message.id);
    this.bytes += message.body.length;
    while (this.held.size > this.bounds.messages || this.bytes > this.bounds.bytes) this.drop();
  }

  /** [WS-GROUP-8] The oldest, which then counts as done. */
  private drop(): void {
    const [oldest] = this.held.keys();
    this.done(oldest as string);
    this.dropped++;
  }
}
