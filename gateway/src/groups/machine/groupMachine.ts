import type { GroupCommand, GroupRecord, GroupRecordOf } from '@roomwire/shared/wire/bus/groupRecord';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { isGroupRecord, type RoomRecord } from '@roomwire/shared/wire/bus/roomRecord';
import { Absence, type AbsenceContext } from './absence.js';
import { GroupState, SeenMessages, type GroupBounds } from './groupState.js';
import { LocalMembers, OwnCommands, type LocalMember } from './localMembers.js';
import { OtherGateways } from './otherGateways.js';
import { OwnJoins } from './ownJoins.js';
import { Replica, type ReplicaContext, type ReplicaOutputs } from './replica.js';
import { chunked, chunkedIds } from './snapshot.js';

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
  /** A join has been appended, and a snapshot, or a bootstrap of the group, has not been read since. */
  | { readonly name: 'absent'; readonly absence: Absence }
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
  private readonly joins: OwnJoins;
  private readonly context: ReplicaContext & AbsenceContext;
  private phase: Phase = idle;
  private readonly others = new OtherGateways();
  /** Timeouts count ticks, not time, so that a paused process does not declare the others dead. */
  private ticksWithoutSnapshot = 0;

  constructor(options: GroupMachineOptions, outputs: GroupOutputs) {
    const { gatewayId, lastNumber, bounds } = options;
    this.options = options;
    this.outputs = outputs;
    this.local = new LocalMembers(lastNumber);
    this.commands = new OwnCommands((command, ref) => outputs.append(command, ref));
    this.joins = new OwnJoins(gatewayId, this.local, this.commands);
    this.context = {
      ...{ gatewayId, bounds, outputs, local: this.local, commands: this.commands },
      isBootstrapping: () => this.joins.isBootstrapping,
      dropped: (messages) => outputs.dropped(messages),
    };
  }

  get phaseName(): 'idle' | 'joining' | 'catchingUp' | 'active' {
    if (this.phase.name !== 'absent') return this.phase.name;
    return this.phase.absence.isCatchingUp ? 'catchingUp' : 'joining';
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

  /** Bytes that messages take here, without those that are being dropped. */
  get memoryBytes(): number {
    return this.state?.memoryBytes ?? this.absence?.memoryBytes ?? 0;
  }

  get highestNumber(): number {
    return this.local.highestNumber;
  }

  // Inputs: local members

  /** Records of the room must be read, and this gateway be announced as a participant. */
  join(member: LocalMember): void {
    this.local.add(member);
    if (this.phase.name === 'idle') this.phase = { name: 'absent', absence: new Absence(this.context) };
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
    const ids = this.absence?.drop(bytes) ?? [];
    for (const part of chunkedIds(ids)) this.commands.add({ kind: 'done', ids: part });
    return ids.length;
  }

  // Inputs: the log

  message(message: LiveMessage): void {
    this.replica?.message(message);
    this.absence?.add(message);
  }

  /** `nowMs`: milliseconds since 1970. */
  command(record: GroupRecord, nowMs: number): void {
    this.process(record, nowMs);
    if (record.gatewayId !== this.options.gatewayId) return;
    this.joins.read(record.ref);
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
    const isWaiting = this.absence !== undefined && this.commands.areRead;
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

  private get absence(): Absence | undefined {
    return this.phase.name === 'absent' ? this.phase.absence : undefined;
  }

  private process(record: RoomRecord, nowMs: number): void {
    if (!isGroupRecord(record)) return this.message(record);
    if (this.phase.name === 'active') this.apply(record, this.phase.replica);
    else if (this.phase.name === 'absent') this.follow(record, this.phase.absence, nowMs);
  }

  private apply(record: GroupRecord, replica: Replica): void {
    const outcome = replica.command(record);
    const { members } = replica.state;
    if (outcome === 'superseded' || (outcome === 'declared dead' && this.hasRemoved(record)))
      this.rejoin(record, replica.state);
    else if (outcome !== 'active' && !members.isAt(this.options.gatewayId))
      this.deactivate(record, replica.state);
    this.replica?.assignMessages();
  }

  /** Gives new numbers to the members that are removed with a dead gateway. */
  private hasRemoved(record: GroupRecord): boolean {
    return record.kind === 'gone' && this.local.renumber(record.upTo).length > 0;
  }

  private follow(record: GroupRecord, absence: Absence, nowMs: number): void {
    if (!absence.isCatchingUp && this.joins.asks(record)) this.startCatchingUp(record, absence);
    absence.add(record);
    if (!absence.isCatchingUp) return;
    if (record.kind === 'state' && record.to === this.options.gatewayId) this.catchUp(record, absence, nowMs);
    else if (record.kind === 'join' && record.needs === 'founds') this.bootstrappedBy(record, absence, nowMs);
  }

  /** The members are in the group again, which gets what it does not have, unless it begins with that. */
  private startCatchingUp(record: GroupRecord, absence: Absence): void {
    if (!this.joins.bootstraps(record)) this.handOver(absence.missed);
    absence.joined();
  }

  private catchUp(part: GroupRecordOf<'state'>, absence: Absence, nowMs: number): void {
    const caughtUp = absence.addPart(part);
    if (caughtUp) this.activate(GroupState.of(this.options.bounds, caughtUp.snapshot), caughtUp.since, nowMs);
    // It was of no use here, for example because the members have joined anew since. The others cannot know.
    else if (part.part === part.parts - 1) this.askAgain();
  }

  private bootstrappedBy(record: GroupRecordOf<'join'>, absence: Absence, nowMs: number): void {
    if (this.joins.bootstraps(record)) {
      const state = new GroupState(this.options.bounds, new SeenMessages(nowMs));
      state.isBacklogPending = this.options.mayHaveBacklog;
      for (const message of absence.messages) state.restore(message);
      this.activate(state, absence.since, nowMs);
    } else if (!this.isOwn(record) && !this.joins.isBootstrapping) {
      // That gateway may have begun to read after the join and have missed it.
      this.others.needState(record.gatewayId);
      absence.restart();
      if (this.local.isEmpty) this.phase = idle;
      else this.askAgain();
    }
  }

  private askAgain(): void {
    if (!this.joins.isBootstrapping && this.joins.isAskRead) this.appendJoin(this.local.all, true);
  }

  /** Continues from a state and the records that follow it. */
  private activate(state: GroupState, since: readonly RoomRecord[], nowMs: number): void {
    const replica = new Replica(state, this.context);
    this.phase = { name: 'active', replica };
    replica.begin();
    for (const record of since) this.process(record, nowMs);
    this.replica?.assignMessages();
  }

  /** Without a member a gateway may miss records, so its state is discarded. */
  private deactivate(record: GroupRecord, state: GroupState): void {
    this.discardState(record, new Absence(this.context, state.members, state.seen));
    if (!this.local.areAnnounced) return;
    this.askAgain();
    this.bootstrapIfAlone();
  }

  private discardState(record: GroupRecord, absence: Absence): void {
    // Whoever bootstraps a group or declares another gateway dead has the state.
    this.others.needState(this.isOwn(record) ? undefined : record.gatewayId);
    this.phase = this.local.isEmpty ? idle : { name: 'absent', absence };
    absence.add(record);
  }

  /**
   * The group has lost members of this gateway: another one has bootstrapped it, or declared this one dead. Takes away the
   * members that are left, hands over what nobody else may have, and joins again with new numbers.
   */
  private rejoin(record: GroupRecord, { open, members, seen }: GroupState): void {
    const numbers = members.at(this.options.gatewayId).map(({ number }) => number);
    this.local.renumber(Math.max(0, ...numbers));
    const absence = new Absence(this.context, members, seen);
    absence.has([...open.values()].map(({ message }) => message));
    this.discardState(record, absence);
    if (numbers.length > 0) this.commands.add({ kind: 'leave', members: numbers, quit: true });
    this.handOver(absence.missed);
    this.appendJoin(this.local.all, true);
  }

  private handOver(messages: readonly LiveMessage[]): void {
    for (const chunk of chunked(messages, (message) => message))
      this.commands.add({ kind: 'messages', messages: chunk });
  }

  /** Joins to get a snapshot, unless an earlier join has requested one, or bootstraps the group where no other gateway may have the state. */
  private appendJoin(members: readonly LocalMember[], needsState = !this.local.areAnnounced): void {
    if (members.length === 0) return;
    if (!needsState) this.joins.add(members);
    else if (this.others.mayHaveState) this.joins.ask(members);
    else this.joins.bootstrap(members);
  }

  private bootstrap(): void {
    if (this.absence && !this.joins.isBootstrapping && !this.local.isEmpty)
      this.joins.bootstrap(this.local.all);
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
