import type { GroupMember, GroupRecord, GroupRecordOf } from '@roomwire/shared/wire/bus/groupRecord';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { GroupState, OpenMessage } from './groupState.js';
import type { LocalMember, LocalMembers, OwnCommands } from './localMembers.js';
import { chunkedIds, snapshotParts } from './snapshot.js';

export interface ReplicaContext {
  readonly gatewayId: string;
  readonly local: LocalMembers;
  readonly commands: OwnCommands;
  /** This gateway has appended a bootstrap command and not read it yet. */
  readonly isBootstrapping: () => boolean;
  readonly outputs: ReplicaOutputs;
}

export interface ReplicaOutputs {
  /** This gateway leads a group whose backlog has not been replayed. Repeated until `backlogReplayed`. */
  replayBacklog(): void;
  /** The last member of the group, on all gateways, has left. */
  emptied(state: GroupState): void;
  /** The last member with a persistent session has unsubscribed, and there are others. */
  collectsNoMore(state: GroupState): void;
  /** Open messages exceeded the bounds. */
  dropped(messages: number): void;
}

/** The effect of a command on this gateway. */
export type Outcome =
  | 'active'
  /** This gateway has no member in the group any more. */
  | 'removed'
  /** The others have removed this gateway's members, or those up to a number. */
  | 'declared dead'
  /** Another gateway has bootstrapped the group. */
  | 'superseded';

/**
 * The state of a group on a gateway that has it. Applies the records of the log, assigns messages while this gateway is the
 * leader, and delivers to local members the messages assigned to them.
 */
export class Replica {
  readonly state: GroupState;
  private readonly context: ReplicaContext;
  private readonly self: string;
  /** Messages of the backlog that were delivered before their assignment was read. */
  private readonly delivered = new Set<string>();
  /** The command that ends the backlog is appended and not read yet. */
  private hasReplayed = false;

  constructor(state: GroupState, context: ReplicaContext) {
    this.state = state;
    this.context = context;
    this.self = context.gatewayId;
  }

  get isLeader(): boolean {
    return this.state.leader === this.self;
  }

  /** The members that the state has here are in force. */
  begin(): void {
    for (const member of this.state.members.at(this.self)) this.ownJoined(member);
    this.deliverAll();
  }

  message(message: LiveMessage): void {
    const { dropped } = this.state;
    this.state.add(message);
    this.reportDropped(dropped);
    this.assignMessages();
  }

  command(record: GroupRecord): Outcome {
    const { state } = this;
    switch (record.kind) {
      case 'join':
        return this.joined(record);
      case 'leave':
      case 'gone':
        return this.left(record);
      case 'assign':
        this.assigned(record);
        break;
      case 'done':
        for (const id of record.ids) state.acknowledge(id);
        break;
      case 'messages': {
        const { dropped } = state;
        for (const message of record.messages) state.restore(message);
        this.reportDropped(dropped);
        break;
      }
      case 'state':
        if (record.part === record.parts - 1) state.catchingUp.delete(record.to);
        break;
      case 'woken':
        state.backlogReplayed(record.collects);
        break;
      case 'check':
    }
    return 'active';
  }

  /** Assigns open messages if this gateway is the leader: directly on the sole gateway, otherwise by a command that all read. */
  assignMessages(): void {
    const { state, self } = this;
    if (!this.isLeader) return;
    if (state.isBacklogPending) {
      if (!this.hasReplayed) this.context.outputs.replayBacklog();
      return;
    }
    if (state.unassigned.size === 0) return;
    if (!state.isSoleGateway(self)) return this.proposeAssignments();
    for (const id of state.unassigned) {
      const open = state.assign(id, state.choose(id));
      if (open) this.deliver(open);
    }
  }

  acknowledge(ids: readonly string[]): void {
    if (!this.state.isSoleGateway(this.self)) this.context.commands.add({ kind: 'done', ids });
    else for (const id of ids) this.state.acknowledge(id);
  }

  /** Drops the oldest messages that take so many bytes, on all gateways: they count as acknowledged. Returns their number. */
  drop(bytes: number): number {
    const ids = this.state.startDropping(bytes);
    for (const part of chunkedIds(ids)) this.acknowledge(part);
    return ids.length;
  }

  /** Delivers assigned messages that local members have not received. */
  deliverAll(): void {
    for (const open of [...this.state.open.values()])
      if (open.assignee?.gatewayId === this.self) this.deliver(open);
  }

  deliverTo({ number }: LocalMember): void {
    const assigned = this.state.members.get(this.self, number)?.open ?? [];
    for (const id of [...assigned]) this.deliver(this.state.open.get(id) as OpenMessage);
  }

  /** A message of the backlog was delivered to a member, which also assigns it. */
  replayed(message: LiveMessage, { number }: LocalMember): void {
    const { state, self } = this;
    const { commands } = this.context;
    if (state.isSoleGateway(self)) {
      state.restore(message);
      const open = state.assign(message.id, state.members.get(self, number));
      if (open) open.isDelivered = true;
    } else {
      this.delivered.add(message.id);
      commands.add({ kind: 'messages', messages: [message] });
      commands.add({ kind: 'assign', assignments: [[message.id, self, number]] });
    }
  }

  backlogReplayed(collects: boolean): void {
    if (!this.state.isBacklogPending) return;
    this.hasReplayed = true;
    if (!this.state.isSoleGateway(this.self)) {
      this.context.commands.add({ kind: 'woken', collects });
      return;
    }
    this.state.backlogReplayed(collects);
    this.assignMessages();
  }

  /** Another gateway is dead: its members are to be removed. */
  lost(gatewayId: string): void {
    const numbers = this.state.members.at(gatewayId).map(({ number }) => number);
    if (numbers.length === 0) return;
    this.context.commands.add({ kind: 'gone', gone: gatewayId, upTo: Math.max(...numbers) });
  }

  private joined(record: GroupRecordOf<'join'>): Outcome {
    const { gatewayId, members, needs } = record;
    const isOwn = gatewayId === this.self;
    // The last of several bootstraps counts; an own one that is not read yet comes after this one.
    if (!isOwn && needs === 'founds') return this.context.isBootstrapping() ? 'active' : 'superseded';
    const formerLeader = this.state.leader;
    this.state.join(gatewayId, members);
    if (isOwn) {
      for (const member of members) this.ownJoined(member);
    } else if (needs === 'state') {
      this.state.catchingUp.add(gatewayId);
      this.sendSnapshots(record, formerLeader, [gatewayId]);
    }
    return 'active';
  }

  private ownJoined(member: GroupMember): void {
    const { local, commands } = this.context;
    // The others had removed the member, and it has a new number now.
    const { number } = member;
    if (!local.enter(member) && !local.isLeaving(number))
      commands.add({ kind: 'leave', members: [number], quit: true });
  }

  private left(record: GroupRecordOf<'leave' | 'gone'>): Outcome {
    const { state, self } = this;
    // Of two gateways that declare each other dead, the first declaration in the log counts.
    if (record.kind === 'gone' && !state.members.isAt(record.gatewayId)) return 'active';
    const { leader: formerLeader, mayCollect } = state;
    if (record.kind === 'gone') state.removeGateway(record.gone, record.upTo);
    else state.leave(record.gatewayId, record.members, record.quit);
    this.sendSnapshots(record, formerLeader, []);
    if (state.members.size === 0) this.context.outputs.emptied(state);
    else if (mayCollect && !state.mayCollect) this.context.outputs.collectsNoMore(state);
    if (record.kind === 'gone' && record.gone === self) return 'declared dead';
    return state.members.isAt(self) ? 'active' : 'removed';
  }

  private assigned({ gatewayId, assignments }: GroupRecordOf<'assign'>): void {
    const { state, self } = this;
    for (const [id, assignee, number] of assignments) {
      const open = state.assign(id, state.members.get(assignee, number));
      if (gatewayId === self) state.settleProposal(id);
      if (open && assignee === self) this.deliver(open);
    }
  }

  private proposeAssignments(): void {
    const { state } = this;
    const assignments: [string, string, number][] = [];
    for (const id of state.unassigned) {
      const member = state.choose(id);
      if (member === undefined) continue;
      state.propose(id, member);
      assignments.push([id, member.gatewayId, member.number]);
    }
    if (assignments.length > 0) this.context.commands.add({ kind: 'assign', assignments });
  }

  private deliver(open: OpenMessage): void {
    const { local, commands } = this.context;
    const { message, assignee } = open;
    if (this.delivered.delete(message.id)) open.isDelivered = true;
    if (open.isDelivered || assignee === undefined || !commands.areInForce()) return;
    const member = local.get(assignee.number);
    // The member has left or is leaving; its leave follows in the log.
    if (!member?.deliver(message)) return;
    open.isDelivered = true;
    if (!member.acks) this.acknowledge([message.id]);
  }

  /** To those that ask; a new leader sends one to all that wait, since the former one may not have had the state. */
  private sendSnapshots(
    record: GroupRecord,
    formerLeader: string | undefined,
    asking: readonly string[],
  ): void {
    if (!this.isLeader) return;
    for (const gatewayId of formerLeader === this.self ? asking : this.state.catchingUp)
      this.sendSnapshot(gatewayId, record);
  }

  private sendSnapshot(to: string, { gatewayId, ref }: GroupRecord): void {
    for (const part of snapshotParts(this.state.snapshot))
      this.context.commands.add({ kind: 'state', to, after: [gatewayId, ref], ...part });
  }

  private reportDropped(before: number): void {
    const { dropped } = this.state;
    if (dropped > before) this.context.outputs.dropped(dropped - before);
  }
}
