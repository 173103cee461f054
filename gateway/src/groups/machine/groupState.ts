import type { GroupMember, GroupRecordOf, HeldMessage } from '@roomwire/shared/wire/bus/groupRecord';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { acceptedAt, givenIdOf } from '@roomwire/shared/wire/bus/messageId';
import { GroupMembers, type Member } from './members.js';
import { messageMemory } from './messageMemory.js';

/** A message that is not acknowledged. */
export interface OpenMessage {
  readonly message: LiveMessage;
  assignee: Member | undefined;
  /** Whether this gateway has delivered it to its client. */
  isDelivered: boolean;
  /** This gateway has appended a command that drops it, and not read it yet. */
  isDropping: boolean;
  /** The bytes of memory that it takes. */
  readonly memory: number;
}

/** The replicated state as a snapshot record contains it. */
export type GroupSnapshot = Pick<
  GroupRecordOf<'state'>,
  'members' | 'awaiting' | 'held' | 'isWaking' | 'collects' | 'floorMs' | 'passed'
>;

export interface GroupBounds {
  /** Open messages. */
  readonly messages: number;
  readonly bytes: number;
}

/**
 * The replicated state of a worker group: its members and its open messages. It changes by the records of the room's log alone,
 * and is therefore the same on every gateway that has read the same records.
 */
export class GroupState {
  readonly members = new GroupMembers();
  /** Gateways with members that do not have the state yet. */
  readonly catchingUp = new Set<string>();
  /** By id, in order of arrival. */
  readonly open = new Map<string, OpenMessage>();
  /** The open messages without assignee that a member may be eligible for, without those that are proposed. */
  readonly unassigned = new Set<string>();
  /** The backlog has not been replayed, and nothing is assigned until it has. */
  isBacklogPending = false;
  /** A member with a persistent session has been disconnected: the group collects messages when it is empty. */
  collectsWhenEmpty = false;
  readonly seen: SeenMessages;
  /** Open messages that were dropped because there were too many. */
  dropped = 0;
  /** The open messages that no present member is eligible for. */
  private readonly parked = new Set<string>();
  /** The assignments that this gateway, as the leader, has appended and not read yet. */
  private readonly proposals = new Map<string, Member>();
  private readonly bounds: GroupBounds;
  private bytes = 0;
  private memory = 0;

  constructor(bounds: GroupBounds, seen: SeenMessages = new SeenMessages(0)) {
    this.bounds = bounds;
    this.seen = seen;
  }

  static of(bounds: GroupBounds, snapshot: GroupSnapshot): GroupState {
    const state = new GroupState(bounds, new SeenMessages(snapshot.floorMs, snapshot.passed));
    for (const member of snapshot.members) state.members.put(member);
    for (const gatewayId of snapshot.awaiting) state.catchingUp.add(gatewayId);
    for (const [message, assignee] of snapshot.held) {
      const open = state.hold(message);
      const member = assignee && state.members.get(...assignee);
      if (!member || !state.open.has(message.id)) continue;
      state.setAssignee(open, member);
      state.members.attach(member, message.id);
    }
    state.isBacklogPending = snapshot.isWaking;
    state.collectsWhenEmpty = snapshot.collects;
    return state;
  }

  get snapshot(): GroupSnapshot {
    return {
      members: this.members.known,
      awaiting: [...this.catchingUp],
      held: [...this.open.values()].map(heldMessage),
      isWaking: this.isBacklogPending,
      collects: this.collectsWhenEmpty,
      floorMs: this.seen.floorMs,
      passed: this.seen.ids,
    };
  }

  /** Whether it would collect messages if its members were disconnected now. */
  get mayCollect(): boolean {
    if (this.collectsWhenEmpty) return true;
    for (const { isPersistent } of this.members) if (isPersistent) return true;
    return false;
  }

  /** Milliseconds since 1970: every message that was made earlier is acknowledged. */
  get acknowledgedUntilMs(): number {
    let until = this.seen.floorMs;
    for (const id of this.open.keys()) until = Math.min(until, acceptedAt(id));
    return until;
  }

  /** Bytes that the open messages take on this gateway, without those that are being dropped. */
  get memoryBytes(): number {
    return this.memory;
  }

  /** The gateway that assigns messages: of those that have the state, the one that joined first. */
  get leader(): string | undefined {
    for (const { gatewayId } of this.members) if (!this.catchingUp.has(gatewayId)) return gatewayId;
    return undefined;
  }

  /** Whether no other gateway takes part in the group. */
  isSoleGateway(gatewayId: string): boolean {
    return this.catchingUp.size === 0 && this.members.areAllAt(gatewayId);
  }

  /** [WS-GROUP-3] Ignores a message that no member is eligible for. */
  add(message: LiveMessage): void {
    if (this.seen.has(message.id)) return;
    this.seen.add(message.id);
    if (!this.open.has(message.id) && this.members.hasEligible(message)) this.hold(message);
  }

  /** Restores an open message, whether a member is eligible for it or not. */
  restore(message: LiveMessage): void {
    this.seen.add(message.id);
    if (!this.open.has(message.id)) this.hold(message);
  }

  join(gatewayId: string, members: readonly GroupMember[]): void {
    for (const member of members) this.members.join(gatewayId, member);
    for (const id of this.parked) this.unassigned.add(id);
    this.parked.clear();
  }

  /** Members that unsubscribed (`quit`) want no later messages; disconnected ones may reconnect. */
  leave(gatewayId: string, numbers: readonly number[], quit = false): void {
    for (const number of numbers) this.remove(this.members.get(gatewayId, number), quit);
    if (!this.members.isAt(gatewayId)) this.catchingUp.delete(gatewayId);
  }

  /** Removes the members of a dead gateway up to a number. */
  removeGateway(gatewayId: string, upTo: number): void {
    for (const member of this.members.at(gatewayId)) if (member.number <= upTo) this.remove(member, false);
    if (!this.members.isAt(gatewayId)) this.catchingUp.delete(gatewayId);
  }

  backlogReplayed(collects: boolean): void {
    this.isBacklogPending = false;
    this.collectsWhenEmpty ||= collects;
  }

  /** The member that an unassigned message goes to. Where none is eligible it is parked until members join or change. */
  choose(id: string): Member | undefined {
    const member = this.members.choose((this.open.get(id) as OpenMessage).message);
    if (member === undefined && this.unassigned.delete(id)) this.parked.add(id);
    return member;
  }

  /** The leader has appended an assignment. */
  propose(id: string, member: Member): void {
    this.unassigned.delete(id);
    this.proposals.set(id, member);
    this.members.propose(member);
  }

  /** The leader has read an assignment of its own, which has taken effect or not. */
  settleProposal(id: string): void {
    const member = this.proposals.get(id);
    if (member === undefined) return;
    this.proposals.delete(id);
    if (this.members.get(member.gatewayId, member.number) === member) this.members.withdrawProposal(member);
    const open = this.open.get(id);
    if (open !== undefined && open.assignee === undefined) this.unassigned.add(id);
  }

  /** The first assignment of a message takes effect. Undefined where this one does not. */
  assign(id: string, member: Member | undefined): OpenMessage | undefined {
    const open = this.open.get(id);
    if (open === undefined || open.assignee !== undefined || member === undefined) return undefined;
    this.setAssignee(open, member);
    this.members.assign(member, id);
    return open;
  }

  acknowledge(id: string): void {
    const open = this.open.get(id);
    if (open === undefined) return;
    if (open.assignee) this.members.detach(open.assignee, id);
    this.open.delete(id);
    this.unassigned.delete(id);
    this.parked.delete(id);
    this.bytes -= open.message.body.length;
    if (!open.isDropping) this.memory -= open.memory;
  }

  /** The oldest messages that take so many bytes: a command drops them. */
  startDropping(bytes: number): readonly string[] {
    const target = this.memory - bytes;
    const ids: string[] = [];
    for (const [id, open] of this.open) {
      if (this.memory <= target) break;
      if (open.isDropping) continue;
      open.isDropping = true;
      this.memory -= open.memory;
      ids.push(id);
    }
    return ids;
  }

  private remove(member: Member | undefined, quit: boolean): void {
    if (member === undefined) return;
    if (member.isPersistent && !quit) this.collectsWhenEmpty = true;
    this.members.remove(member);
    for (const id of member.open) {
      const open = this.open.get(id) as OpenMessage;
      open.assignee = undefined;
      open.isDelivered = false;
      this.unassigned.add(id);
    }
  }

  private setAssignee(open: OpenMessage, member: Member): void {
    open.assignee = member;
    this.unassigned.delete(open.message.id);
    this.parked.delete(open.message.id);
  }

  private hold(message: LiveMessage): OpenMessage {
    const memory = messageMemory(message);
    const open: OpenMessage = {
      message,
      assignee: undefined,
      isDelivered: false,
      isDropping: false,
      memory,
    };
    this.open.set(message.id, open);
    this.unassigned.add(message.id);
    this.bytes += message.body.length;
    this.memory += memory;
    while (this.open.size > this.bounds.messages || this.bytes > this.bounds.bytes) this.dropOldest();
    return open;
  }

  /** [WS-GROUP-8] It then counts as acknowledged. */
  private dropOldest(): void {
    const [oldest] = this.open.keys();
    this.acknowledge(oldest as string);
    this.dropped++;
  }
}

const heldMessage = ({ message, assignee }: OpenMessage): HeldMessage => [
  message,
  assignee ? [assignee.gatewayId, assignee.number] : null,
];

/** Upper bound of clock skew between gateways plus the delivery time of records. */
const windowMs = 10_000;
const maxIds = 2_000;

/** [WS-ONCE-4] A message with a given id may be sent once more, when the gateway that sent it first has been killed. */
const givenWindowMs = 60_000;

/** The messages that a group has seen, for deduplication: all that were made before a floor, and later ones by id. */
export class SeenMessages {
  private readonly known = new Set<string>();
  /** Those with a given id. */
  private readonly given = new Set<string>();
  private newest = 0;
  private floor: number;

  constructor(floorMs: number, ids: readonly string[] = []) {
    this.floor = floorMs;
    for (const id of ids) this.add(id);
  }

  /** Milliseconds since 1970. */
  get floorMs(): number {
    return this.floor;
  }

  get size(): number {
    return this.given.size + this.known.size;
  }

  get ids(): readonly string[] {
    return [...this.given, ...this.known];
  }

  has(id: string): boolean {
    return this.known.has(id) || this.given.has(id);
  }

  add(id: string): void {
    const time = acceptedAt(id);
    if (time > this.newest) this.newest = time;
    (givenIdOf(id) === undefined ? this.known : this.given).add(id);
    this.forgetOldest(this.known, windowMs);
    this.forgetOldest(this.given, givenWindowMs);
  }

  private forgetOldest(ids: Set<string>, forMs: number): void {
    for (const oldest of ids) {
      const age = this.newest - acceptedAt(oldest);
      if (ids.size <= maxIds && age <= forMs) return;
      ids.delete(oldest);
      // Itself made before the floor: nothing else says that it was seen.
      this.floor = Math.max(this.floor, acceptedAt(oldest) + 1);
    }
  }
}
