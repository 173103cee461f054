import type { GroupRecord, GroupRecordOf } from '@roomwire/shared/wire/bus/groupRecord';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { isGroupRecord, type RoomRecord } from '@roomwire/shared/wire/bus/roomRecord';
import type { Delivery } from './delivery.js';
import type { GroupState } from './groupState.js';
import type { LocalMember, OwnMembers } from './ownMembers.js';
import type { ReplicaDeps } from './replicaDeps.js';
import { Sequencer } from './sequencer.js';
import type { Speaker } from './speaker.js';

/** What a gateway's part in a group is made of, whether it has the state or not. */
export interface InsideParts {
  readonly deps: ReplicaDeps;
  readonly own: OwnMembers;
  readonly speaker: Speaker;
  readonly delivery: Delivery;
  /** Without a member in the group a gateway is not told of everything: its state is worth nothing from then on. */
  readonly comeOut: () => void;
  /** The others do not know us any more. */
  readonly comeInAnew: () => void;
  /** Our members up to this number are out for the others. */
  readonly takenForDead: (upTo: number) => void;
}

/** A gateway that has the state of a group, from one moment to another: what it makes of what it reads. */
export class GroupInside {
  readonly state: GroupState;
  /** Once it is out nothing is done with the state any more. */
  isOut = false;
  private readonly parts: InsideParts;
  private readonly self: string;
  private readonly sequencer = new Sequencer();
  /** All will read in a moment that nothing is held back any more. */
  private hasWoken = false;

  constructor(state: GroupState, parts: InsideParts) {
    this.state = state;
    this.parts = parts;
    this.self = parts.deps.gatewayId;
  }

  /** It is up to this gateway to say who gets what. */
  get isSequencer(): boolean {
    return this.state.sequencer === this.self;
  }

  apply(record: RoomRecord): void {
    const { dropped } = this.state;
    if (isGroupRecord(record)) this.applyNews(record);
    else this.state.take(record);
    if (this.state.dropped > dropped) this.parts.deps.dropped(this.state.dropped - dropped);
    this.giveOut();
  }

  /** A client has acknowledged messages. */
  done(ids: readonly string[]): void {
    if (this.state.isAlone(this.self)) ids.forEach((id) => this.state.done(id));
    else this.parts.speaker.say({ kind: 'done', ids });
  }

  /** A member has been given a message that was recorded. It is the member's, like one that it gets in its turn. */
  replayed(message: LiveMessage, member: LocalMember): void {
    const { delivery, speaker } = this.parts;
    if (this.state.isAlone(this.self)) {
      this.state.takeBack(message);
      const held = this.state.assign(message.id, [this.self, member.number]);
      if (held) held.isDelivered = true;
    } else {
      delivery.given(message.id);
      speaker.say({ kind: 'messages', messages: [message] });
      speaker.say({ kind: 'assign', assignments: [[message.id, this.self, member.number]] });
    }
  }

  /** Everything that was recorded has been given out. A group that was asleep will sleep again. */
  woken(collects: boolean): void {
    if (!this.state.isWaking) return;
    this.hasWoken = true;
    if (!this.state.isAlone(this.self)) return void this.parts.speaker.say({ kind: 'woken', collects });
    this.state.woken(collects);
    this.giveOut();
  }

  /** Another gateway is dead. */
  lost(gatewayId: string): void {
    const numbers = this.state.members.at(gatewayId).map(({ number }) => number);
    if (numbers.length === 0) return;
    this.parts.speaker.say({ kind: 'gone', gone: gatewayId, upTo: Math.max(...numbers) });
  }

  /** What is nobody's goes to somebody: at once where nobody else has a part in it, otherwise when all have read it. */
  giveOut(): void {
    if (this.isOut || !this.isSequencer) return;
    const { deps, speaker, delivery } = this.parts;
    if (this.state.isWaking) return this.hasWoken ? undefined : deps.wake();
    if (this.state.loose.size === 0) return;
    if (this.state.isAlone(this.self)) {
      return this.sequencer.decide(this.state, (held) => delivery.give(held));
    }
    const assignments = this.sequencer.propose(this.state);
    if (assignments.length > 0) speaker.say({ kind: 'assign', assignments });
  }

  /** Hands our members what is theirs and has not been handed over. */
  deliverOwn(): void {
    for (const held of [...this.state.held.values()]) {
      if (held.assignee?.gatewayId === this.self) this.parts.delivery.give(held);
    }
  }

  private applyNews(news: GroupRecord): void {
    const { state } = this;
    const { sequencer } = state;
    switch (news.kind) {
      case 'join':
        return this.joined(news);
      case 'leave':
        state.leave(news.gatewayId, news.members, news.quit);
        return this.afterRemoval(news, sequencer);
      case 'gone':
        return this.gone(news, sequencer);
      case 'assign':
        return this.assigned(news);
      case 'done':
        return news.ids.forEach((id) => state.done(id));
      case 'messages':
        return news.messages.forEach((message) => state.takeBack(message));
      case 'state':
        if (news.part === news.parts - 1) state.awaiting.delete(news.to);
        return;
      case 'woken':
        return state.woken(news.collects);
      case 'check':
        return;
    }
  }

  private joined(news: GroupRecordOf<'join'>): void {
    const { speaker } = this.parts;
    const { gatewayId, members, needs } = news;
    const isOwn = gatewayId === this.self;
    if (!isOwn && needs === 'founds') {
      // Of several foundings the last one counts; ours is behind this one while we have not read it.
      if (!speaker.isFounding) this.parts.comeInAnew();
      return;
    }
    this.state.join(gatewayId, members);
    if (isOwn && speaker.isFounder(news.ref)) speaker.foundingIsOver();
    if (isOwn) {
      for (const { number } of members) this.enteredOrGone(number);
    } else if (needs === 'state') {
      this.state.awaiting.add(gatewayId);
      if (this.isSequencer) speaker.tell(gatewayId, this.state, news);
    }
  }

  private enteredOrGone(number: number): void {
    const { own, speaker } = this.parts;
    const member = own.get(number);
    if (member) member.entered();
    // It was taken for dead meanwhile, and goes by another number.
    else if (!own.isLeaving(number)) speaker.say({ kind: 'leave', members: [number], quit: true });
  }

  private gone(news: GroupRecordOf<'gone'>, sequencer: string | undefined): void {
    // Of two that take each other for dead one was first.
    if (!this.state.members.isAt(news.gatewayId)) return;
    this.state.gone(news.gone, news.upTo);
    this.afterRemoval(news, sequencer);
    if (news.gone === this.self) this.parts.takenForDead(news.upTo);
  }

  private assigned({ gatewayId, assignments }: GroupRecordOf<'assign'>): void {
    for (const [id, ...key] of assignments) {
      const held = this.state.assign(id, key);
      if (gatewayId === this.self) this.sequencer.cameBack(id, this.state);
      if (held?.assignee?.gatewayId === this.self) this.parts.delivery.give(held);
    }
  }

  /** Members have gone: their messages are nobody's now, and it may be up to us to say who gets them. */
  private afterRemoval(news: GroupRecord, before: string | undefined): void {
    const { members, awaiting } = this.state;
    if (this.isSequencer && before !== this.self) {
      for (const gatewayId of awaiting) this.parts.speaker.tell(gatewayId, this.state, news);
    }
    if (members.size === 0) this.parts.deps.emptied(this.state);
    if (!members.isAt(this.self)) this.parts.comeOut();
  }
}
