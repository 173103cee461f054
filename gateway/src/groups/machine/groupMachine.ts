import type { GroupCommand, GroupRecord, GroupRecordOf } from '@roomwire/shared/wire/bus/groupRecord';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { isGroupRecord, type RoomRecord } from '@roomwire/shared/wire/bus/roomRecord';
import { GroupState, SeenMessages, type GroupBounds } from './groupState.js';
import { LocalMembers, OwnCommands, type LocalMember } from './localMembers.js';
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
  /** A join has been appended; records are buffered until a snapshot, or a bootstrap of the group, has been read. */
  | { readonly name: 'joining'; readonly catchUp: CatchUp }
  /** This gateway has the state. */
  | { readonly name: 'active'; readonly replica: Replica };

/** Ticks after which a gateway that waits for a snapshot bootstraps the group. Longer than failure detection takes. */
const snapshotPatience = 20;
/** Ticks after which a gateway with members but without an announcement is dead. Announcements use another channel, which may lag. */
const absencePatience = 5;

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
  /** Number of this gateway's bootstrap command, until it is read or obsolete. */
  private bootstrapRef: number | undefined;
  /** The other participating gateways. */
  private participants: readonly string[] = [];
  /** Participants that may have had the state when this gateway joined or lost its own. */
  private mayHaveState: ReadonlySet<string> = new Set();
  /** Timeouts count ticks, not time, so that a paused process does not declare the others dead. */
  private ticksWithoutSnapshot = 0;
  private ticksAbsent: ReadonlyMap<string, number> = new Map();

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
    if (this.phase.name === 'active') return this.phase.replica.state.memoryBytes;
    return this.phase.name === 'joining' ? this.phase.catchUp.memoryBytes : 0;
  }

  get highestNumber(): number {
    return this.local.highestNumber;
  }

  // Inputs: local members

  /** Records of the room must be read, and this gateway be announced as a participant. */
  join(member: LocalMember): void {
    this.local.add(member);
    if (this.phase.name === 'idle') this.startJoining();
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
    else if (this.phase.name === 'joining') this.commands.add({ kind: 'done', ids });
  }

  /** [WS-GROUP-11] Memory is short: drops the oldest messages that take so many bytes, on all gateways. Returns their number. */
  drop(bytes: number): number {
    if (this.phase.name === 'active') return this.phase.replica.drop(bytes);
    if (this.phase.name !== 'joining') return 0;
    const ids = this.phase.catchUp.drop(bytes);
    for (const part of chunkedIds(ids)) this.commands.add({ kind: 'done', ids: part });
    return ids.length;
  }

  // Inputs: the log

  message(message: LiveMessage): void {
    if (this.phase.name === 'active') this.phase.replica.message(message);
    else this.buffer(message);
  }

  /** `nowMs`: milliseconds since 1970. */
  command(record: GroupRecord, nowMs: number): void {
    this.process(record, nowMs);
    if (record.gatewayId !== this.options.gatewayId) return;
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
    this.participants = others;
    this.mayHaveState = new Set(others);
  }

  participantsChanged(others: readonly string[]): void {
    const former = this.participants;
    this.participants = others;
    for (const gatewayId of new Set(former.map(gatewayOf)))
      if (!this.isParticipant(gatewayId)) this.replica?.lost(gatewayId);
    const remaining = others.filter((name) => this.mayHaveState.has(name));
    if (remaining.length === this.mayHaveState.size) return;
    this.mayHaveState = new Set(remaining);
    this.bootstrapIfAlone();
  }

  /** Called once a second: bootstraps when no snapshot arrives, removes dead gateways and retries the backlog. */
  tick(): void {
    const isWaiting = this.phase.name === 'joining' && this.commands.areRead;
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

  private process(record: RoomRecord, nowMs: number): void {
    if (this.phase.name !== 'active') return this.catchUp(record, nowMs);
    if (isGroupRecord(record)) this.apply(record, this.phase.replica);
    else this.phase.replica.message(record);
  }

  private apply(record: GroupRecord, replica: Replica): void {
    const outcome = replica.command(record);
    if (record.kind === 'join' && record.ref === this.bootstrapRef && this.isOwn(record))
      this.bootstrapRef = undefined;
    if (outcome === 'superseded') return this.rejoin(replica.state);
    if (outcome !== 'active' && !replica.state.members.isAt(this.options.gatewayId)) this.deactivate();
    if (outcome === 'declared dead' && record.kind === 'gone') this.joinAgain(record.upTo);
    this.replica?.assignMessages();
  }

  private catchUp(record: RoomRecord, nowMs: number): void {
    this.buffer(record);
    if (this.phase.name !== 'joining' || !isGroupRecord(record)) return;
    if (record.kind === 'state' && record.to === this.options.gatewayId) {
      const caughtUp = this.phase.catchUp.addPart(record);
      if (caughtUp === undefined) return;
      this.activate(GroupState.of(this.options.bounds, caughtUp.snapshot), caughtUp.since, nowMs);
    } else if (record.kind === 'join' && record.needs === 'founds') {
      this.bootstrappedBy(record, this.phase.catchUp, nowMs);
    }
  }

  private bootstrappedBy(record: GroupRecordOf<'join'>, { records }: CatchUp, nowMs: number): void {
    if (!this.isOwn(record)) {
      // That gateway may have begun to read after this join and have missed it.
      if (this.bootstrapRef === undefined) this.appendJoin(this.local.all, true);
    } else if (record.ref === this.bootstrapRef) {
      const state = new GroupState(this.options.bounds, new SeenMessages(nowMs));
      state.isBacklogPending = this.options.mayHaveBacklog;
      this.activate(state, records, nowMs);
    }
  }

  /** Continues from a state and the records that follow it. */
  private activate(state: GroupState, since: readonly RoomRecord[], nowMs: number): void {
    const replica = new Replica(state, this.context);
    this.phase = { name: 'active', replica };
    for (const { number } of state.members.at(this.options.gatewayId)) this.local.get(number)?.entered();
    replica.deliverAll();
    for (const record of since) this.process(record, nowMs);
    if (this.phase.name !== 'active') return;
    this.bootstrapRef = undefined;
    this.phase.replica.assignMessages();
  }

  private startJoining(): void {
    this.phase = { name: 'joining', catchUp: new CatchUp(this.options.bounds) };
  }

  /** Without a member a gateway may miss records, so its state is discarded. */
  private deactivate(): void {
    this.discardState();
    if (this.local.areAnnounced) this.bootstrapIfAlone();
  }

  private discardState(): void {
    this.mayHaveState = new Set(this.participants);
    if (this.local.isEmpty) this.phase = idle;
    else this.startJoining();
  }

  /** The others have removed our members up to a number: they join again with new ones. */
  private joinAgain(upTo: number): void {
    const removed = this.local.renumber(upTo);
    if (this.phase.name !== 'active') this.appendJoin(this.local.all, true);
    else if (removed.length > 0) this.appendJoin(removed);
  }

  /** Another gateway has bootstrapped the group: hands over the messages that only this gateway may have, and joins again. */
  private rejoin({ open, members }: GroupState): void {
    const numbers = members.at(this.options.gatewayId).map(({ number }) => number);
    this.local.renumber(Math.max(0, ...numbers));
    this.discardState();
    if (numbers.length > 0) this.commands.add({ kind: 'leave', members: numbers, quit: true });
    const messages = [...open.values()].map(({ message }) => message);
    for (const chunk of chunked(messages, (message) => message))
      this.commands.add({ kind: 'messages', messages: chunk });
    this.appendJoin(this.local.all, true);
  }

  private buffer(record: RoomRecord): void {
    if (this.phase.name !== 'joining') return;
    const { catchUp } = this.phase;
    const { dropped } = catchUp;
    catchUp.add(record);
    if (catchUp.dropped > dropped) this.outputs.dropped(catchUp.dropped - dropped);
  }

  /** Joins to get a snapshot, unless an earlier join has requested one, or bootstraps the group where no other gateway may have the state. */
  private appendJoin(members: readonly LocalMember[], needsState = !this.local.areAnnounced): void {
    if (members.length === 0) return;
    if (needsState && this.mayHaveState.size === 0) return this.appendBootstrap(members);
    const needs = needsState ? 'state' : 'nothing';
    this.commands.add({ kind: 'join', members: this.local.announce(members), needs });
  }

  private appendBootstrap(members: readonly LocalMember[]): void {
    const command = { kind: 'join', members: this.local.announce(members), needs: 'founds' } as const;
    this.bootstrapRef = this.commands.add(command);
  }

  private bootstrap(): void {
    if (this.phase.name === 'joining' && this.bootstrapRef === undefined)
      this.appendBootstrap(this.local.all);
  }

  private bootstrapIfAlone(): void {
    if (this.mayHaveState.size === 0) this.bootstrap();
  }

  private removeAbsent(): void {
    const absent = new Map<string, number>();
    for (const gatewayId of this.state?.members.gatewayIds ?? []) {
      if (this.isOwn({ gatewayId }) || this.isParticipant(gatewayId)) continue;
      const ticks = (this.ticksAbsent.get(gatewayId) ?? 0) + 1;
      if (ticks < absencePatience) absent.set(gatewayId, ticks);
      else this.replica?.lost(gatewayId);
    }
    this.ticksAbsent = absent;
  }

  private isOwn({ gatewayId }: Pick<GroupRecord, 'gatewayId'>): boolean {
    return gatewayId === this.options.gatewayId;
  }

  private isParticipant(gatewayId: string): boolean {
    return this.participants.some((name) => gatewayOf(name) === gatewayId);
  }
}

/** Participants are named `<gateway id>/<number>`, since a gateway may join several times. */
const gatewayOf = (name: string): string => name.slice(0, name.lastIndexOf('/'));
