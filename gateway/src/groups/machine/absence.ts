import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import type { GroupRecord } from '@roomwire/shared/wire/bus/groupRecord';
import { isGroupRecord, type RoomRecord } from '@roomwire/shared/wire/bus/roomRecord';
import type { GroupBounds } from './groupState.js';
import type { LocalMembers } from './localMembers.js';
import { GroupMembers, isEligible } from './members.js';
import { RecordBuffer } from './recordBuffer.js';

/**
 * The time until a join of this gateway is read. Members that the group has lost, since their gateway was declared dead or
 * another one has bootstrapped the group, are still in force for their clients: what only they are eligible for is kept here,
 * because the group ignores it [WS-GROUP-4].
 */
export class Absence {
  /** The messages that the group has ignored. */
  readonly missed: RecordBuffer;
  /** The members that the group has meanwhile. */
  private others: GroupMembers;
  private readonly local: LocalMembers;
  /** Messages that other gateways have handed over to the group. */
  private readonly restored = new Set<string>();

  /** `others`: the members that the group has when the absence begins; they are changed here. */
  constructor(bounds: GroupBounds, local: LocalMembers, others: GroupMembers) {
    this.missed = new RecordBuffer(bounds);
    this.local = local;
    this.others = others;
  }

  /** What the group should have held for the members of this gateway. */
  get messages(): readonly LiveMessage[] {
    return this.missed.records.flatMap((record) =>
      isGroupRecord(record) || this.restored.has(record.id) ? [] : [record],
    );
  }

  add(record: RoomRecord): void {
    if (isGroupRecord(record)) this.follow(record);
    else if (!this.others.hasEligible(record) && this.local.inForce.some(isEligible(record)))
      this.missed.add(record);
  }

  private follow(record: GroupRecord): void {
    switch (record.kind) {
      case 'join':
        if (record.needs === 'founds') this.others = new GroupMembers();
        for (const member of record.members) this.others.join(record.gatewayId, member);
        return;
      case 'leave':
        return this.remove(record.gatewayId, (number) => record.members.includes(number));
      case 'gone':
        if (this.others.isAt(record.gatewayId)) this.remove(record.gone, (number) => number <= record.upTo);
        return;
      case 'messages':
        for (const { id } of record.messages) this.restored.add(id);
    }
  }

  private remove(gatewayId: string, isGone: (number: number) => boolean): void {
    for (const member of this.others.at(gatewayId)) if (isGone(member.number)) this.others.remove(member);
  }
}
