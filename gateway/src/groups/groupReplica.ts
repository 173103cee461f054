import type { GroupNews, GroupNewsOf } from '@roomwire/shared/contracts/bus/groupNews';
import type { LiveMessage } from '@roomwire/shared/contracts/bus/liveMessage';
import { isGroupNews, type RoomRecord } from '@roomwire/shared/contracts/bus/roomRecord';
import { Delivery } from './delivery.js';
import { Gathering, type Adoption } from './gathering.js';
import { GroupState } from './groupState.js';
import { OwnMembers, type LocalMember } from './ownMembers.js';
import type { ReplicaDeps } from './replicaDeps.js';
import { Sequencer } from './sequencer.js';
import { Speaker } from './speaker.js';
import { bytesOfMessage, divided } from './stateParts.js';

/**
 * A gateway's part in a worker group. All gateways with members read the same records in the same order: the messages of
 * the room and what the gateways say of the group. `joining` it gathers them, until it gets the state of the group as it
 * was after one of them or learns that nobody has a state; `inside` it has the state.
 */
export class GroupReplica {
  private readonly deps: ReplicaDeps;
  private readonly gathering: Gathering;
  private readonly own = new OwnMembers();
  private readonly speaker: Speaker;
  private readonly delivery: Delivery;
  private readonly sequencer = new Sequencer();
  private mode: 'outside' | 'joining' | 'inside' = 'outside';
  private state: GroupState;
  /** All will read in a moment that nothing is held back any more. */
  private hasWoken = false;

  constructor(deps: ReplicaDeps) {
    this.deps = deps;
    this.state = new GroupState(deps.bounds);
    this.gathering = new Gathering(deps.bounds);
    this.speaker = new Speaker(deps, this.own);
    this.delivery = new Delivery({
      own: this.own,
      mayBeOut: deps.mayBeOut,
      check: () => this.speaker.say({ kind: 'check' }),
      done: (ids) => this.done(ids),
    });
  }

  /** It has read all that it has said, and still has no state. */
  get isWaiting(): boolean {
    return this.mode === 'joining' && this.speaker.hasReadAll;
  }

  /** Nobody is here, and all that was said has been read. */
  get isOver(): boolean {
    return this.own.isEmpty && this.mode !== 'inside' && this.speaker.hasReadAll;
  }

  /** What is known of the group, where it is known. */
  get known(): GroupState | undefined {
    return this.mode === 'inside' ? this.state : undefined;
  }

  /** It is up to this gateway to say who gets what. */
  get isInCharge(): boolean {
    return this.isInside && this.isSequencer;
  }

  /** The room must be attended, and this gateway be known as a host of the group. */
  join(member: LocalMember): void {
    this.own.add(member);
    if (this.mode === 'outside') this.mode = 'joining';
    this.speaker.join([member]);
  }

  /** Its filters have changed. */
  update(member: LocalMember): void {
    if (this.own.has(member)) this.speaker.join([member]);
  }

  /** From now on it gets nothing. `left` is called between two messages of the topic, when all know that it is out. */
  leave(member: LocalMember, quit: boolean, left: () => void = () => undefined): void {
    if (this.own.remove(member, left)) this.speaker.say({ kind: 'leave', members: [member.number], quit });
  }

  /** A client has acknowledged a message. */
  done(ids: readonly string[]): void {
    if (this.mode === 'outside') return;
    if (this.mode === 'inside' && this.state.isAlone(this.deps.gatewayId))
      ids.forEach((id) => this.state.done(id));
    else this.speaker.say({ kind: 'done', ids });
  }

  take(record: RoomRecord): void {
    if (this.mode === 'inside') this.apply(record);
    else this.gather(record);
    if (isGroupNews(record) && record.gatewayId === this.deps.gatewayId) this.cameBack(record);
  }

  /** The gateways that may have the state are others than before. */
  hostsChanged(): void {
    if (this.mode === 'joining' && !this.deps.hasOthers()) this.found();
  }

  /** Whoever should have sent the state has not. Whoever has one after all comes in anew. */
  found(): void {
    if (this.mode === 'joining' && !this.speaker.isFounding) this.speaker.found();
  }

  /** A member has been given a message that was recorded. It is the member's, like one that it gets in its turn. */
  replayed(message: LiveMessage, member: LocalMember): void {
    if (!this.isInside) return;
    const { gatewayId } = this.deps;
    if (this.state.isAlone(gatewayId)) {
      this.state.takeBack(message);
      const held = this.state.assign(message.id, [gatewayId, member.number]);
      if (held) held.isDelivered = true;
    } else {
      this.delivery.given(message.id);
      this.speaker.say({ kind: 'messages', messages: [message] });
      this.speaker.say({ kind: 'assign', assignments: [[message.id, gatewayId, member.number]] });
    }
  }

  /** Everything that was recorded has been given out. A group that was asleep will sleep again. */
  woken(collects: boolean): void {
    if (!this.isInside || !this.state.isWaking) return;
    this.hasWoken = true;
    if (!this.state.isAlone(this.deps.gatewayId)) return void this.speaker.say({ kind: 'woken', collects });
    this.state.woken(collects);
    this.giveOut();
  }

  /** A member may be given something that could not be before. */
  goOn(): void {
    if (this.isInside) this.giveOut();
  }

  /** Another gateway is dead. */
  lost(gatewayId: string): void {
    if (this.mode !== 'inside') return;
    const numbers = this.state.membersOf(gatewayId).map(({ number }) => number);
    if (numbers.length > 0) this.speaker.say({ kind: 'gone', gone: gatewayId, upTo: Math.max(...numbers) });
  }

  private gather(record: RoomRecord): void {
    if (this.mode === 'outside') return;
    const { dropped } = this.gathering;
    this.gathering.add(record);
    if (this.gathering.dropped > dropped) this.deps.dropped(this.gathering.dropped - dropped);
    if (!isGroupNews(record)) return;
    if (record.kind === 'state' && record.to === this.deps.gatewayId)
      this.adopt(this.gathering.adopt(record));
    else if (record.kind === 'join' && record.needs === 'founds') this.foundedBy(record);
  }

  private foundedBy({ gatewayId, ref }: GroupNewsOf<'join'>): void {
    if (gatewayId === this.deps.gatewayId) {
      if (this.speaker.isFounder(ref)) this.enter(this.newState(), this.gathering.take());
    } else if (!this.speaker.isFounding) {
      // Whoever founds may have begun to read behind what we have said.
      this.speaker.join(this.own.all, true);
    }
  }

  private adopt(adoption: Adoption | undefined): void {
    if (adoption === undefined) return;
    this.gathering.take();
    this.enter(GroupState.of(this.deps.bounds, adoption.snapshot), adoption.since);
  }

  private newState(): GroupState {
    const { isWaking, nowMs } = this.deps.founded();
    const state = new GroupState(this.deps.bounds, { floorMs: nowMs, ids: [] });
    state.isWaking = isWaking;
    return state;
  }

  /** Goes on from a state with what has happened since. */
  private enter(state: GroupState, since: readonly RoomRecord[]): void {
    this.mode = 'inside';
    this.state = state;
    for (const { number } of state.membersOf(this.deps.gatewayId)) this.own.get(number)?.entered();
    this.deliverOwn();
    for (const record of since) {
      if (this.isInside) this.apply(record);
      else this.gather(record);
    }
    if (this.isInside) this.speaker.foundingIsOver();
  }

  /** For the compiler, which does not see what a call changes. */
  private get isInside(): boolean {
    return this.mode === 'inside';
  }

  private apply(record: RoomRecord): void {
    const { dropped } = this.state;
    if (isGroupNews(record)) this.applyNews(record);
    else this.state.take(record);
    if (this.state.dropped > dropped) this.deps.dropped(this.state.dropped - dropped);
    if (this.isInside) this.giveOut();
  }

  private applyNews(news: GroupNews): void {
    const { sequencer } = this.state;
    switch (news.kind) {
      case 'join':
        return this.joined(news);
      case 'leave':
        this.state.leave(news.gatewayId, news.members, news.quit);
        return this.afterRemoval(news, sequencer);
      case 'gone':
        // Of two that take each other for dead one was first.
        if (!this.state.has(news.gatewayId)) return;
        this.state.gone(news.gone, news.upTo);
        this.afterRemoval(news, sequencer);
        return news.gone === this.deps.gatewayId ? this.takenForDead(news.upTo) : undefined;
      case 'assign':
        return this.assigned(news);
      case 'done':
        return news.ids.forEach((id) => this.state.done(id));
      case 'messages':
        return news.messages.forEach((message) => this.state.takeBack(message));
      case 'state':
        if (news.part === news.parts - 1) this.state.awaiting.delete(news.to);
        return;
      case 'woken':
        return this.state.woken(news.collects);
      case 'check':
        return;
    }
  }

  private joined(news: GroupNewsOf<'join'>): void {
    const { gatewayId, members, needs } = news;
    const isOwn = gatewayId === this.deps.gatewayId;
    if (!isOwn && needs === 'founds') {
      // Of several foundings the last one counts; ours is behind this one while we have not read it.
      if (!this.speaker.isFounding) this.comeInAnew();
      return;
    }
    this.state.join(gatewayId, members);
    if (isOwn && this.speaker.isFounder(news.ref)) this.speaker.foundingIsOver();
    if (isOwn) {
      for (const { number } of members) this.enteredOrGone(number);
    } else if (needs === 'state') {
      this.state.awaiting.add(gatewayId);
      if (this.isSequencer) this.speaker.tell(gatewayId, this.state, news);
    }
  }

  private enteredOrGone(number: number): void {
    const member = this.own.get(number);
    if (member) member.entered();
    // It was taken for dead meanwhile, and goes by another number.
    else if (!this.own.isLeaving(number)) this.speaker.say({ kind: 'leave', members: [number], quit: true });
  }

  private assigned({ gatewayId, assignments }: GroupNewsOf<'assign'>): void {
    for (const [id, ...key] of assignments) {
      const held = this.state.assign(id, key);
      if (gatewayId === this.deps.gatewayId) this.sequencer.cameBack(id, this.state);
      if (held?.assignee?.gatewayId === this.deps.gatewayId) this.delivery.give(held);
    }
  }

  /** Members have gone: their messages are nobody's now, and it may be up to us to say who gets them. */
  private afterRemoval(news: GroupNews, before: string | undefined): void {
    const isIn = this.state.has(this.deps.gatewayId);
    if (this.isSequencer && before !== this.deps.gatewayId) {
      for (const gatewayId of this.state.awaiting) this.speaker.tell(gatewayId, this.state, news);
    }
    if (this.state.members.size === 0) this.deps.emptied(this.state);
    if (!isIn) this.comeOut();
  }

  /** Without a member in the group a gateway is not told of everything: its state is worth nothing from then on. */
  private comeOut(): void {
    this.forgetState();
    if (this.own.areKnown) this.hostsChanged();
  }

  private forgetState(): void {
    this.deps.lookAgain();
    this.state = new GroupState(this.deps.bounds);
    this.sequencer.clear();
    this.delivery.clear();
    this.hasWoken = false;
    this.mode = this.own.isEmpty ? 'outside' : 'joining';
  }

  /** Numbers are given once: those that are out for the others do not come back. */
  private takenForDead(upTo: number): void {
    const out = this.own.renumber(upTo, this.deps.nextNumber);
    if (!this.isInside) this.speaker.join(this.own.all, true);
    else if (out.length > 0) this.speaker.join(out);
  }

  /** The others do not know us any more: we hand over what only we may have, and join like a newcomer. */
  private comeInAnew(): void {
    const messages = [...this.state.held.values()].map(({ message }) => message);
    const numbers = this.state.membersOf(this.deps.gatewayId).map(({ number }) => number);
    this.own.renumber(Math.max(0, ...numbers), this.deps.nextNumber);
    this.forgetState();
    if (numbers.length > 0) this.speaker.say({ kind: 'leave', members: numbers, quit: true });
    for (const part of divided(messages, bytesOfMessage))
      this.speaker.say({ kind: 'messages', messages: part });
    this.speaker.join(this.own.all, true);
  }

  private get isSequencer(): boolean {
    return this.state.sequencer === this.deps.gatewayId;
  }

  /** What is nobody's goes to somebody: at once where nobody else has a part in it, otherwise when all have read it. */
  private giveOut(): void {
    if (!this.isSequencer) return;
    if (this.state.isWaking) return this.hasWoken ? undefined : this.deps.wake();
    if (this.state.loose.size === 0) return;
    if (this.state.isAlone(this.deps.gatewayId)) {
      return this.sequencer.decide(this.state, (held) => this.delivery.give(held));
    }
    const assignments = this.sequencer.propose(this.state);
    if (assignments.length > 0) this.speaker.say({ kind: 'assign', assignments });
  }

  private deliverOwn(): void {
    for (const held of [...this.state.held.values()]) {
      if (held.assignee?.gatewayId === this.deps.gatewayId) this.delivery.give(held);
    }
  }

  private cameBack(news: GroupNews): void {
    const { ref } = news;
    this.speaker.read(ref);
    if (news.kind === 'leave') for (const number of news.members) this.own.hasLeft(number);
    if (this.delivery.cameBack(ref) && this.isInside) this.deliverOwn();
    if (this.isOver) this.deps.ended();
  }
}
