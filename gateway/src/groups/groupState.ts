import type {
  GroupMember,
  HeldMessage,
  KnownMember,
  MemberKey,
} from '@roomwire/shared/contracts/bus/groupNews';
import type { LiveMessage } from '@roomwire/shared/contracts/bus/liveMessage';
import { choose } from './choice.js';
import { madeAt, Passed, type PassedRecord } from './passed.js';

export interface Member extends KnownMember {
  filters: GroupMember['filters'];
  turn: number;
  /** The messages that it has and that are not done. */
  readonly load: Set<string>;
  /** How many it is about to get, and when it was last proposed for one. Known to the sequencer alone. */
  proposed: number;
  proposedTurn: number;
}

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
  /** In the order in which they came. */
  readonly members = new Map<string, Member>();
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
  /** How many members each gateway has. */
  private readonly gateways = new Map<string, number>();
  private readonly bounds: GroupBounds;
  private bytes = 0;
  private turn = 0;
  private proposedTurn = 0;

  constructor(bounds: GroupBounds, passed: PassedRecord = { floorMs: 0, ids: [] }) {
    this.bounds = bounds;
    this.passed = new Passed(passed);
  }

  static of(bounds: GroupBounds, snapshot: GroupSnapshot): GroupState {
    const state = new GroupState(bounds, snapshot.passed);
    for (const member of snapshot.members) state.put(member);
    for (const gatewayId of snapshot.awaiting) state.awaiting.add(gatewayId);
    for (const [message, assignee] of snapshot.held) {
      state.hold(message);
      if (assignee) state.attach(message.id, state.members.get(keyOf(assignee)));
    }
    state.isWaking = snapshot.isWaking;
    state.collects = snapshot.collects;
    return state;
  }

  get snapshot(): GroupSnapshot {
    const { isWaking, collects, passed } = this;
    return {
      members: [...this.members.values()].map(knownMember),
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
    for (const { isPersistent } of this.members.values()) if (isPersistent) return true;
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
    for (const { gatewayId } of this.members.values()) if (!this.awaiting.has(gatewayId)) return gatewayId;
    return undefined;
  }

  get gatewayIds(): Iterable<string> {
    return this.gateways.keys();
  }

  has(gatewayId: string): boolean {
    return this.gateways.has(gatewayId);
  }

  /** Whether nobody else has a part in the group. */
  isAlone(gatewayId: string): boolean {
    return this.gateways.size === 1 && this.awaiting.size === 0 && this.gateways.has(gatewayId);
  }

  membersOf(gatewayId: string): readonly Member[] {
    return [...this.members.values()].filter((member) => member.gatewayId === gatewayId);
  }

  /** [WS-GROUP-3] A message that none of the members may have is not the group's. */
  take(message: LiveMessage): void {
    if (this.passed.has(message.id)) return;
    this.passed.add(message.id);
    if (!this.held.has(message.id) && this.choose(message) !== undefined) this.hold(message);
  }

  /** Takes it in any case: it was the group's before. */
  takeBack(message: LiveMessage): void {
    this.passed.add(message.id);
    if (!this.held.has(message.id)) this.hold(message);
  }

  join(gatewayId: string, members: readonly GroupMember[]): void {
    for (const member of members) {
      const known = this.members.get(keyOf([gatewayId, member.number]));
      if (known) known.filters = member.filters;
      else this.put({ ...member, gatewayId, turn: this.turn });
    }
    for (const id of this.stuck) this.loose.add(id);
    this.stuck.clear();
  }

  /** Those who quit do not want to know what comes; others may be back. */
  leave(gatewayId: string, numbers: readonly number[], quit = false): void {
    for (const number of numbers) {
      const member = this.members.get(keyOf([gatewayId, number]));
      if (member?.isPersistent && !quit) this.collects = true;
      this.remove(member);
    }
    if (!this.has(gatewayId)) this.awaiting.delete(gatewayId);
  }

  /** Takes out the members of a gateway up to a number. */
  gone(gatewayId: string, upTo: number): void {
    for (const member of this.membersOf(gatewayId)) {
      if (member.number > upTo) continue;
      if (member.isPersistent) this.collects = true;
      this.remove(member);
    }
    if (!this.has(gatewayId)) this.awaiting.delete(gatewayId);
  }

  choose(message: LiveMessage): Member | undefined {
    return choose(this.members.values(), message);
  }

  /** The member is about to get one more, as far as the sequencer's next choices are concerned. */
  propose(id: string, member: Member): void {
    this.loose.delete(id);
    this.proposedTurn = Math.max(this.proposedTurn, this.turn) + 1;
    member.proposedTurn = this.proposedTurn;
    member.proposed++;
  }

  /** The proposal has become an assignment, or nothing. */
  withdrawProposal(id: string, key: string): void {
    const member = this.members.get(key);
    if (member) member.proposed--;
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
    return this.give(id, this.members.get(keyOf(member)));
  }

  done(id: string): void {
    const held = this.held.get(id);
    if (held === undefined) return;
    held.assignee?.load.delete(id);
    this.held.delete(id);
    this.loose.delete(id);
    this.stuck.delete(id);
    this.bytes -= held.message.body.length;
  }

  private put(member: KnownMember): void {
    const fresh = { load: new Set<string>(), proposed: 0, proposedTurn: 0 };
    this.members.set(keyOf([member.gatewayId, member.number]), { ...member, ...fresh });
    this.gateways.set(member.gatewayId, (this.gateways.get(member.gatewayId) ?? 0) + 1);
    this.turn = Math.max(this.turn, member.turn);
  }

  private remove(member: Member | undefined): void {
    if (member === undefined) return;
    this.members.delete(keyOf([member.gatewayId, member.number]));
    const left = (this.gateways.get(member.gatewayId) ?? 0) - 1;
    if (left > 0) this.gateways.set(member.gatewayId, left);
    else this.gateways.delete(member.gatewayId);
    for (const id of member.load) {
      const held = this.held.get(id) as Held;
      held.assignee = undefined;
      held.isDelivered = false;
      this.loose.add(id);
    }
  }

  private give(id: string, member: Member | undefined): Held | undefined {
    const held = this.attach(id, member);
    if (held !== undefined && member !== undefined) member.turn = ++this.turn;
    return held;
  }

  private attach(id: string, member: Member | undefined): Held | undefined {
    const held = this.held.get(id);
    if (held === undefined || member === undefined) return undefined;
    held.assignee = member;
    member.load.add(id);
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

const knownMember = (member: Member): KnownMember => {
  const { number, actorTokenId, filters, acks, isPersistent, gatewayId, turn } = member;
  return { number, actorTokenId, filters, acks, isPersistent, gatewayId, turn };
};

export const keyOf = ([gatewayId, number]: MemberKey): string => `${gatewayId}/${number}`;
