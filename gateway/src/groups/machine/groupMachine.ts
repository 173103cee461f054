import type { GroupCommand, GroupRecord, GroupRecordOf } from '@roomwire/shared/wire/bus/groupRecord';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { isGroupRecord, type RoomRecord } from '@roomwire/shared/wire/bus/roomRecord';
import { Absence } from './absence.js';
import { GroupState, SeenMessages, type GroupBounds } from './groupState.js';
import { LocalMembers, OwnCommands, type LocalMember } from './localMembers.js';
import { GroupMembers } from './members.js';
import type { RecordBuffer } from './recordBuffer.js';
import { OtherGateways } from './otherGateways.js';
import { Replica, type ReplicaContext, type ReplicaOutputs } from './replica.js';
import { CatchUp, chunked, chunkedIds } from './snapshot.js';

export interface GroupMachineOptions {
  readonly gatewayId: string;
  readonly bounds: GroupBounds;
  /** Local members get numbers above it. */
  readonly lastNumber: number;
  /** Messages of the topic may have been recorded while the group was empty. */
  readonly mayHaveBacklog: boolean;
}

/** Effects that the machine requests. It does not wait for them; their results come back as inputs. */
export interface GroupOutputs extends ReplicaOutputs {
  /** Appends a command to the log, after all earlier ones, with the number that this gateway gives it. */
  append(command: GroupCommand, ref: number): void;
  /** No local members are left, and all commands have been read back. */
  idle(): void;
}

type Phase =
  /** No local members: none has joined, or the last one has left. */
  | { readonly name: 'idle' }
  /** A join has been appended, and not read yet. */
  | { readonly name: 'joining'; readonly absence: Absence }
  /** The join has been read; records are buffered until a snapshot, or a bootstrap of the group, has been read. */
  | { readonly name: 'catchingUp'; readonly catchUp: CatchUp }
  /** This gateway has the state. */
  | { readonly name: 'active'; readonly replica: Replica };

/** Ticks after which a gateway that waits for a snapshot bootstraps the group. Longer than failure detection takes. */
const snapshotPatience = 20;

const idle: Phase = { name: 'idle' };

/**
 * A worker group on one gateway, as a state machine without I/O, timers or a clock: the public methods are its inputs,
 * `GroupOutputs` and the methods of `LocalMember` its outputs. docs/WORKER_GROUPS.md draws its states.
 */
export class GroupMachine {
  private readonly options: GroupMachineOptions;
  private readonly outputs: GroupOutputs;
  private readonly local: LocalMembers;
  private readonly commands: OwnCommands;
  private readonly context: ReplicaContext;
  private phase: Phase = idle;
  /** Number of this gateway's last join that asks for the state or bootstraps the group. */
  private askRef = 0;
  /** Number of this gateway's bootstrap command, until it is read. */
  private bootstrapRef: number | undefined;
  private readonly others = new OtherGateways();
  /** Timeouts count ticks, not time, so that a paused process does not declare the others dead. */
  private ticksWithoutSnapshot = 0;

  constructor(options: GroupMachineOptions, outputs: GroupOutputs) {
    const { gatewayId, lastNumber } = options;
    this.options = options;
    this.outputs = outputs;
    this.local = new LocalMembers(lastNumber);
    this.commands = new OwnCommands((command, ref) => outputs.append(command, ref));
    this.context = {
      ...{ gatewayId, outputs, local: this.local, commands: this.commands },
      isBootstrapping: () => this.bootstrapRef !== undefined,
    };
  }

  get phaseName(): Phase['name'] {
    return this.phase.name;
  }

  /** Undefined while this gateway does not have the state. */
  get state(): GroupState | undefined {
    return this.replica?.state;
  }

  get isLeader(): boolean {
    return this.replica?.isLeader ?? false;
  }

  /** No local members are left, and all commands have been read back. */
  get isIdle(): boolean {
    return this.local.isEmpty && this.phase.name !== 'active' && this.commands.areRead;
  }

  /** Bytes that open and buffered messages take, without those that are being dropped. */
  get memoryBytes(): number {
    return this.state?.memoryBytes ?? this.buffered?.memoryBytes ?? 0;
  }

  get highestNumber(): number {
    return this.local.highestNumber;
  }

  // Inputs: local members

  /** Records of the room must be read, and this gateway be announced as a participant. */
  join(member: LocalMember): void {
    this.local.add(member);
    if (this.phase.name === 'idle') this.startJoining(new GroupMembers());
    this.appendJoin([member]);
  }

  /** The member has other filters. */
  update(member: LocalMember): void {
    if (this.local.has(member)) this.appendJoin([member]);
  }

  /** Stops delivery to the member. `left` is called between two messages of the topic, once all gateways have read the leave. */
  leave(member: LocalMember, quit: boolean, left: () => void = () => undefined): void {
    if (this.local.remove(member, left)) this.commands.add({ kind: 'leave', members: [member.number], quit });
  }

  /** The member can receive messages from now on. */
  ready(member: LocalMember): void {
    this.replica?.deliverTo(member);
    this.replica?.assignMessages();
  }

  /** Clients have acknowledged messages. */
  acknowledge(ids: readonly string[]): void {
    if (this.phase.name === 'active') this.phase.replica.acknowledge(ids);
    else if (this.phase.name !== 'idle') this.commands.add({ kind: 'done', ids });
  }

  /** [WS-GROUP-11] Memory is short: drops the oldest messages that take so many bytes, on all gateways. Returns their number. */
  drop(bytes: number): number {
    if (this.phase.name === 'active') return this.phase.replica.drop(bytes);
    const ids = this.buffered?.drop(bytes) ?? [];
    for (const part of chunkedIds(ids)) this.commands.add({ kind: 'done', ids: part });
    return ids.length;
  }

  // Inputs: the log

  message(message: LiveMessage): void {
    if (this.phase.name === 'active') this.phase.replica.message(message);
    else this.keep(message);
  }

  /** `nowMs`: milliseconds since 1970. */
  command(record: GroupRecord, nowMs: number): void {
    this.process(record, nowMs);
    if (record.gatewayId !== this.options.gatewayId) return;
    if (record.ref === this.bootstrapRef) this.bootstrapRef = undefined;
    const isDoubtOver = this.commands.read(record.ref);
    if (record.kind === 'leave') for (const number of record.members) this.local.hasLeft(number);
    if (isDoubtOver) this.replica?.deliverAll();
    if (this.isIdle) this.outputs.idle();
  }

  // Inputs: the backlog

  /** A recorded message was delivered to a member. */
  replayed(message: LiveMessage, member: LocalMember): void {
    this.replica?.replayed(message, member);
  }

  /** The whole backlog has been replayed. */
  backlogReplayed(collects: boolean): void {
    this.replica?.backlogReplayed(collects);
  }

  /** The replay has ended early: its member has left. */
  replayInterrupted(): void {
    this.replica?.assignMessages();
  }

  // Inputs: the other gateways, and time

  /** This gateway has read its own announcement; `others` are the other participants. */
  announced(others: readonly string[]): void {
    this.others.begin(others);
  }

  participantsChanged(others: readonly string[]): void {
    const { mayHaveState } = this.others;
    for (const gatewayId of this.others.change(others)) this.replica?.lost(gatewayId);
    if (mayHaveState) this.bootstrapIfAlone();
  }

  /** Called once a second: bootstraps when no snapshot arrives, removes dead gateways and retries the backlog. */
  tick(): void {
    const isWaiting = this.buffered !== undefined && this.commands.areRead;
    this.ticksWithoutSnapshot = isWaiting ? this.ticksWithoutSnapshot + 1 : 0;
    if (this.ticksWithoutSnapshot > snapshotPatience) {
      this.ticksWithoutSnapshot = 0;
      this.bootstrap();
    }
    this.removeAbsent();
    if (this.state?.isBacklogPending) this.replica?.assignMessages();
  }

  /** Checks, after a possible pause of the process, whether the others have removed its members. */
  paused(): void {
    this.commands.suspect();
  }

  // Transitions

  private get replica(): Replica | undefined {
    return this.phase.name === 'active' ? this.phase.replica : undefined;
  }

  private get buffered(): RecordBuffer | undefined {
    if (this.phase.name === 'joining') return this.phase.absence.missed;
    return this.phase.name === 'catchingUp' ? this.phase.catchUp.buffer : undefined;
  }

  private process(record: RoomRecord, nowMs: number): void {
    if (!isGroupRecord(record)) return this.message(record);
    if (this.phase.name === 'active') return this.apply(record, this.phase.replica);
    if (this.phase.name === 'joining' && this.isJoinOfThis(record)) this.startCatchingUp(this.phase.absence);
    this.keep(record);
    if (this.phase.name === 'catchingUp') this.catchUp(record, this.phase.catchUp, nowMs);
  }

  private apply(record: GroupRecord, replica: Replica): void {
    const outcome = replica.command(record);
    const { members } = replica.state;
    if (outcome === 'superseded' || (outcome === 'declared dead' && this.hasRemoved(record)))
      this.rejoin(record, replica.state);
    else if (outcome !== 'active' && !members.isAt(this.options.gatewayId)) this.deactivate(record, members);
    this.replica?.assignMessages();
  }

  /** Gives new numbers to the members that are removed with a dead gateway. */
  private hasRemoved(record: GroupRecord): boolean {
    return record.kind === 'gone' && this.local.renumber(record.upTo).length > 0;
  }

  private isJoinOfThis(record: GroupRecord): boolean {
    const { kind, ref } = record;
    return kind === 'join' && this.isOwn(record) && (ref === this.askRef || ref === this.bootstrapRef);
  }

  /** The members are in the group again, which gets what it has ignored while they were not. */
  private startCatchingUp({ messages }: Absence): void {
    this.phase = { name: 'catchingUp', catchUp: new CatchUp(this.options.bounds) };
    this.handOver(messages);
  }

  private catchUp(record: GroupRecord, catchUp: CatchUp, nowMs: number): void {
    if (record.kind === 'state' && record.to === this.options.gatewayId) {
      const caughtUp = catchUp.addPart(record);
      if (caughtUp)
        this.activate(GroupState.of(this.options.bounds, caughtUp.snapshot), caughtUp.since, nowMs);
      // It was of no use here, for example because the members have joined anew since. The others cannot know.
      if (record.part === record.parts - 1 && this.phase.name === 'catchingUp') this.askAgain();
    } else if (record.kind === 'join' && record.needs === 'founds') {
      this.bootstrappedBy(record, catchUp, nowMs);
    }
  }

  private bootstrappedBy(record: GroupRecordOf<'join'>, { buffer }: CatchUp, nowMs: number): void {
    if (this.isOwn(record) && record.ref === this.bootstrapRef) {
      const state = new GroupState(this.options.bounds, new SeenMessages(nowMs));
      state.isBacklogPending = this.options.mayHaveBacklog;
      this.activate(state, buffer.records, nowMs);
    } else if (!this.isOwn(record) && this.bootstrapRef === undefined) {
      // That gateway may have begun to read after the join and have missed it.
      this.discardState(record);
      this.askAgain();
    }
  }

  private askAgain(): void {
    if (this.bootstrapRef === undefined && this.commands.hasRead(this.askRef))
      this.appendJoin(this.local.all, true);
  }

  /** Continues from a state and the records that follow it. */
  private activate(state: GroupState, since: readonly RoomRecord[], nowMs: number): void {
    const replica = new Replica(state, this.context);
    this.phase = { name: 'active', replica };
    replica.begin();
    for (const record of since) this.process(record, nowMs);
    this.replica?.assignMessages();
  }

  private startJoining(others: GroupMembers): Absence {
    const absence = new Absence(this.options.bounds, this.local, others);
    this.phase = { name: 'joining', absence };
    return absence;
  }

  /** Without a member a gateway may miss records, so its state is discarded. */
  private deactivate(record: GroupRecord, members: GroupMembers): void {
    this.discardState(record, members);
    if (!this.local.areAnnounced) return;
    this.askAgain();
    this.bootstrapIfAlone();
  }

  /** `members`: those that the group had before the record that takes ours out of it, or has since. */
  private discardState(record: GroupRecord, members = new GroupMembers()): void {
    // Whoever bootstraps a group or declares another gateway dead has the state.
    this.others.needState(this.isOwn(record) ? undefined : record.gatewayId);
    if (this.local.isEmpty) this.phase = idle;
    else this.startJoining(members).add(record);
  }

  /**
   * The group has lost members of this gateway: another one has bootstrapped it, or declared this one dead. Hands over the
   * messages that only this gateway may have, takes away the members that are left, and joins again with new numbers.
   */
  private rejoin(record: GroupRecord, { open, members }: GroupState): void {
    const numbers = members.at(this.options.gatewayId).map(({ number }) => number);
    this.local.renumber(Math.max(0, ...numbers));
    this.discardState(record, members);
    if (numbers.length > 0) {
      this.commands.add({ kind: 'leave', members: numbers, quit: true });
      this.handOver([...open.values()].map(({ message }) => message));
    }
    this.appendJoin(this.local.all, true);
  }

  private handOver(messages: readonly LiveMessage[]): void {
    for (const chunk of chunked(messages, (message) => message))
      this.commands.add({ kind: 'messages', messages: chunk });
  }

  /** Keeps a record while the state is missing. */
  private keep(record: RoomRecord): void {
    const { buffered } = this;
    if (buffered === undefined) return;
    const { dropped } = buffered;
    if (this.phase.name === 'joining') this.phase.absence.add(record);
    else buffered.add(record);
    if (buffered.dropped > dropped) this.outputs.dropped(buffered.dropped - dropped);
  }

  /** Joins to get a snapshot, unless an earlier join has requested one, or bootstraps the group where no other gateway may have the state. */
  private appendJoin(members: readonly LocalMember[], needsState = !this.local.areAnnounced): void {
    if (members.length === 0) return;
    if (needsState && !this.others.mayHaveState) return void (this.askRef = this.appendBootstrap(members));
    const needs = needsState ? 'state' : 'nothing';
    const ref = this.commands.add({ kind: 'join', members: this.local.announce(members), needs });
    if (needsState) this.askRef = ref;
  }

  private appendBootstrap(members: readonly LocalMember[]): number {
    const command = { kind: 'join', members: this.local.announce(members), needs: 'founds' } as const;
    return (this.bootstrapRef = this.commands.add(command));
  }

  private bootstrap(): void {
    if (this.buffered !== undefined && this.bootstrapRef === undefined && !this.local.isEmpty)
      this.appendBootstrap(this.local.all);
  }

  private bootstrapIfAlone(): void {
    if (!this.others.mayHaveState) this.bootstrap();
  }

  private removeAbsent(): void {
    const withMembers = [...(this.state?.members.gatewayIds ?? [])];
    const others = withMembers.filter((gatewayId) => gatewayId !== this.options.gatewayId);
    for (const gatewayId of this.others.absentees(others)) this.replica?.lost(gatewayId);
  }

  private isOwn({ gatewayId }: Pick<GroupRecord, 'gatewayId'>): boolean {
    return gatewayId === this.options.gatewayId;
  }
}
