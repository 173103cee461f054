import type { GroupRecord, GroupRecordOf } from '@roomwire/shared/wire/bus/groupRecord';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { isGroupRecord, type RoomRecord } from '@roomwire/shared/wire/bus/roomRecord';
import { Delivery } from './delivery.js';
import { Gathering, type Adoption } from './gathering.js';
import { GroupInside, type InsideParts } from './groupInside.js';
import { GroupState } from './groupState.js';
import { OwnMembers, type LocalMember } from './ownMembers.js';
import type { ReplicaDeps } from './replicaDeps.js';
import { Speaker } from './speaker.js';
import { bytesOfMessage, divided } from './stateParts.js';

/**
 * A gateway's part in a worker group. All gateways with members read the same records in the same order: the messages of
 * the room and what the gateways say of the group. Joining it gathers them, until it gets the state of the group as it
 * was after one of them or learns that nobody has a state; `inside` it has the state.
 */
export class GroupReplica {
  private readonly deps: ReplicaDeps;
  private readonly gathering: Gathering;
  private readonly own = new OwnMembers();
  private readonly speaker: Speaker;
  private readonly delivery: Delivery;
  private readonly parts: InsideParts;
  private inside: GroupInside | undefined;
  /** It has said that it wants to come in, or is about to. */
  private isJoining = false;

  constructor(deps: ReplicaDeps) {
    this.deps = deps;
    this.gathering = new Gathering(deps.bounds);
    this.speaker = new Speaker(deps, this.own);
    this.delivery = new Delivery({
      own: this.own,
      mayBeOut: deps.mayBeOut,
      check: () => this.speaker.say({ kind: 'check' }),
      done: (ids) => this.done(ids),
    });
    const { own, speaker, delivery } = this;
    this.parts = {
      ...{ deps, own, speaker, delivery },
      comeOut: () => this.comeOut(),
      comeInAnew: () => this.comeInAnew(),
      takenForDead: (upTo) => this.takenForDead(upTo),
    };
  }

  /** It has read all that it has said, and still has no state. */
  get isWaiting(): boolean {
    return this.isJoining && this.speaker.hasReadAll;
  }

  /** Nobody is here, and all that was said has been read. */
  get isOver(): boolean {
    return this.own.isEmpty && this.inside === undefined && this.speaker.hasReadAll;
  }

  /** What is known of the group, where it is known. */
  get known(): GroupState | undefined {
    return this.inside?.state;
  }

  /** It is up to this gateway to say who gets what. */
  get isInCharge(): boolean {
    return this.inside?.isSequencer ?? false;
  }

  /** The room must be attended, and this gateway be known as a host of the group. */
  join(member: LocalMember): void {
    this.own.add(member);
    if (this.inside === undefined) this.isJoining = true;
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

  /** A client has acknowledged messages. */
  done(ids: readonly string[]): void {
    if (this.inside) this.inside.done(ids);
    else if (this.isJoining) this.speaker.say({ kind: 'done', ids });
  }

  take(record: RoomRecord): void {
    if (this.inside) this.inside.apply(record);
    else this.gather(record);
    if (isGroupRecord(record) && record.gatewayId === this.deps.gatewayId) this.cameBack(record);
  }

  /** The gateways that may have the state are others than before. */
  hostsChanged(): void {
    if (this.isJoining && !this.deps.hasOthers()) this.found();
  }

  /** Whoever should have sent the state has not. Whoever has one after all comes in anew. */
  found(): void {
    if (this.isJoining && !this.speaker.isFounding) this.speaker.found();
  }

  /** A member has been given a message that was recorded. */
  replayed(message: LiveMessage, member: LocalMember): void {
    this.inside?.replayed(message, member);
  }

  /** Everything that was recorded has been given out. */
  woken(collects: boolean): void {
    this.inside?.woken(collects);
  }

  /** A member may be given something that could not be before. */
  goOn(): void {
    this.inside?.giveOut();
  }

  /** Another gateway is dead. */
  lost(gatewayId: string): void {
    this.inside?.lost(gatewayId);
  }

  private gather(record: RoomRecord): void {
    if (!this.isJoining) return;
    const { dropped } = this.gathering;
    this.gathering.add(record);
    if (this.gathering.dropped > dropped) this.deps.dropped(this.gathering.dropped - dropped);
    if (!isGroupRecord(record)) return;
    if (record.kind === 'state' && record.to === this.deps.gatewayId)
      this.adopt(this.gathering.adopt(record));
    else if (record.kind === 'join' && record.needs === 'founds') this.foundedBy(record);
  }

  private foundedBy({ gatewayId, ref }: GroupRecordOf<'join'>): void {
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
    this.isJoining = false;
    this.inside = new GroupInside(state, this.parts);
    for (const { number } of state.members.at(this.deps.gatewayId)) this.own.get(number)?.entered();
    this.inside.deliverOwn();
    for (const record of since) {
      if (this.inside) this.inside.apply(record);
      else this.gather(record);
    }
    if (this.inside) this.speaker.foundingIsOver();
  }

  private comeOut(): void {
    this.forgetState();
    if (this.own.areKnown) this.hostsChanged();
  }

  private forgetState(): void {
    this.deps.lookAgain();
    this.delivery.clear();
    if (this.inside) this.inside.isOut = true;
    this.inside = undefined;
    this.isJoining = !this.own.isEmpty;
  }

  /** Numbers are given once: those that are out for the others do not come back. */
  private takenForDead(upTo: number): void {
    const out = this.own.renumber(upTo, this.deps.nextNumber);
    if (this.inside === undefined) this.speaker.join(this.own.all, true);
    else if (out.length > 0) this.speaker.join(out);
  }

  /** Hands over what only we may have, and joins like a newcomer. */
  private comeInAnew(): void {
    const state = this.inside?.state;
    const messages = [...(state?.held.values() ?? [])].map(({ message }) => message);
    const numbers = (state?.members.at(this.deps.gatewayId) ?? []).map(({ number }) => number);
    this.own.renumber(Math.max(0, ...numbers), this.deps.nextNumber);
    this.forgetState();
    if (numbers.length > 0) this.speaker.say({ kind: 'leave', members: numbers, quit: true });
    for (const part of divided(messages, bytesOfMessage))
      this.speaker.say({ kind: 'messages', messages: part });
    this.speaker.join(this.own.all, true);
  }

  private cameBack(news: GroupRecord): void {
    const { ref } = news;
    this.speaker.read(ref);
    if (news.kind === 'leave') for (const number of news.members) this.own.hasLeft(number);
    if (this.delivery.cameBack(ref)) this.inside?.deliverOwn();
    if (this.isOver) this.deps.ended();
  }
}
