import type { GroupRecord, GroupRecordOf } from '@roomwire/shared/wire/bus/groupRecord';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { isGroupRecord, type RoomRecord } from '@roomwire/shared/wire/bus/roomRecord';
import { SeenMessages, type GroupBounds } from './groupState.js';
import type { LocalMembers } from './localMembers.js';
import { GroupMembers, isEligible } from './members.js';
import { RecordBuffer } from './recordBuffer.js';
import { CatchUp, type CaughtUp } from './snapshot.js';

export interface AbsenceContext {
  readonly bounds: GroupBounds;
  readonly local: LocalMembers;
  /** Messages beyond the bounds are lost. */
  readonly dropped: (messages: number) => void;
}

/**
 * The time without the state of the group: until the first join of this gateway has been answered, or since others have
 * declared it dead or bootstrapped the group. Members that the group has lost by that are still in force for their clients.
 * So each message that may be theirs is kept until there is a state that has it [WS-GROUP-4].
 */
export class Absence {
  private readonly context: AbsenceContext;
  /** The members that the group has, without those here before their join is read. */
  private others: GroupMembers;
  private readonly seen: SeenMessages;
  /** What nobody who has the state can have. */
  private missing: RecordBuffer;
  /** What the group has, unless it is bootstrapped once more: for example because those who have the state have left. */
  private spare: RecordBuffer;
  /** From the join on. */
  private catchUp: CatchUp | undefined;

  /** `others` and `seen`: what the group has when the absence begins; they are changed here. */
  constructor(context: AbsenceContext, others = new GroupMembers(), seen = new SeenMessages(0)) {
    this.context = context;
    this.others = others;
    this.seen = seen;
    this.missing = new RecordBuffer(context.bounds, context.dropped);
    this.spare = this.newSpare();
  }

  get isCatchingUp(): boolean {
    return this.catchUp !== undefined;
  }

  /** Bytes that the messages take. */
  get memoryBytes(): number {
    return this.missing.memoryBytes + this.spare.memoryBytes + (this.catchUp?.buffer.memoryBytes ?? 0);
  }

  /** What has to be handed over to the group. */
  get missed(): readonly LiveMessage[] {
    return this.missing.messages;
  }

  /** What a group begins with that this gateway bootstraps. */
  get messages(): readonly LiveMessage[] {
    const done = new Set(
      this.since.flatMap((record) => (isGroupRecord(record) && record.kind === 'done' ? record.ids : [])),
    );
    return [...this.spare.messages, ...this.missing.messages].filter(({ id }) => !done.has(id));
  }

  /** The records since the join. */
  get since(): readonly RoomRecord[] {
    return this.catchUp?.buffer.records ?? [];
  }

  /** The open messages that the group has when the absence begins. */
  has(open: readonly LiveMessage[]): void {
    for (const message of open) this.spare.add(message);
  }

  add(record: RoomRecord): void {
    if (this.catchUp) this.catchUp.buffer.add(record);
    else if (isGroupRecord(record)) this.follow(record);
    else this.keep(record);
  }

  /** A join of this gateway has been read. */
  joined(): void {
    this.catchUp = new CatchUp(this.context.bounds, this.context.dropped);
  }

  /** Undefined unless it completes a state that this gateway can continue from. */
  addPart(part: GroupRecordOf<'state'>): CaughtUp | undefined {
    return this.catchUp?.addPart(part);
  }

  /** Another gateway has bootstrapped the group since the join: this gateway has to join again. */
  restart(): void {
    const { since } = this;
    this.catchUp = undefined;
    for (const record of since) this.add(record);
  }

  /** Drops the oldest messages that take so many bytes. Returns the ids of those that the group may not have. */
  drop(bytes: number): readonly string[] {
    const target = this.memoryBytes - bytes;
    this.spare.drop(bytes);
    const ids = this.missing.drop(this.memoryBytes - target);
    return [...ids, ...(this.catchUp?.buffer.drop(this.memoryBytes - target) ?? [])];
  }

  private keep(message: LiveMessage): void {
    if (this.seen.has(message.id)) return;
    this.seen.add(message.id);
    if (!this.local.inForce.some(isEligible(message))) return;
    if (this.others.hasEligible(message)) this.spare.add(message);
    else this.missing.add(message);
  }

  private follow(record: GroupRecord): void {
    switch (record.kind) {
      case 'join':
        if (record.needs === 'founds') this.begin();
        for (const member of record.members) this.others.join(record.gatewayId, member);
        return;
      case 'leave':
        return this.remove(record.gatewayId, (number) => record.members.includes(number));
      case 'gone':
        if (this.others.isAt(record.gatewayId)) this.remove(record.gone, (number) => number <= record.upTo);
        return;
      case 'messages':
        for (const message of record.messages) this.handedOver(message);
        return;
      case 'done':
        for (const id of record.ids) void (this.missing.take(id) ?? this.spare.take(id));
    }
  }

  /** The group has been bootstrapped, and nothing of what it had is in it. */
  private begin(): void {
    this.others = new GroupMembers();
    const { messages } = this;
    this.missing = new RecordBuffer(this.context.bounds, this.context.dropped);
    this.spare = this.newSpare();
    for (const message of messages) this.missing.add(message);
  }

  private handedOver(message: LiveMessage): void {
    this.seen.add(message.id);
    const missed = this.missing.take(message.id);
    if (missed ?? this.local.inForce.some(isEligible(message))) this.spare.add(missed ?? message);
  }

  private remove(gatewayId: string, isGone: (number: number) => boolean): void {
    for (const member of this.others.at(gatewayId)) if (isGone(member.number)) this.others.remove(member);
  }

  private get local(): LocalMembers {
    return this.context.local;
  }

  private newSpare(): RecordBuffer {
    return new RecordBuffer(this.context.bounds, () => undefined);
  }
}
