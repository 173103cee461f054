import type { GroupMember, KnownMember, MemberKey } from '@roomwire/shared/wire/bus/groupRecord';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { mayHave } from './choice.js';
import { MemberOrder } from './memberOrder.js';

export interface Member extends KnownMember {
  filters: GroupMember['filters'];
  turn: number;
  /** The messages that it has and that are not done. */
  readonly load: Set<string>;
  /** How many it is about to get, and when it was last proposed for one. Known to the sequencer alone. */
  proposed: number;
  proposedTurn: number;
  /** The first to come has the lowest. */
  readonly arrival: number;
  /** The note of `MemberOrder`. */
  place: number;
}

/** Who is in a worker group, on which gateway, and who is the next to get something. */
export class GroupMembers implements Iterable<Member> {
  /** In the order in which they came. */
  private readonly byKey = new Map<string, Member>();
  private readonly order = new MemberOrder();
  /** How many members each gateway has. */
  private readonly gateways = new Map<string, number>();
  private turn = 0;
  private proposedTurn = 0;
  private arrivals = 0;

  get size(): number {
    return this.byKey.size;
  }

  get gatewayIds(): Iterable<string> {
    return this.gateways.keys();
  }

  [Symbol.iterator](): Iterator<Member> {
    return this.byKey.values();
  }

  get known(): readonly KnownMember[] {
    return [...this.byKey.values()].map(knownMember);
  }

  get(key: MemberKey): Member | undefined {
    return this.byKey.get(nameOf(key));
  }

  isAt(gatewayId: string): boolean {
    return this.gateways.has(gatewayId);
  }

  areAllAt(gatewayId: string): boolean {
    return this.gateways.size === 1 && this.isAt(gatewayId);
  }

  at(gatewayId: string): readonly Member[] {
    return [...this.byKey.values()].filter((member) => member.gatewayId === gatewayId);
  }

  /** One who is there already has other filters now. */
  join(gatewayId: string, member: GroupMember): void {
    const known = this.get([gatewayId, member.number]);
    if (known) known.filters = member.filters;
    else this.put({ ...member, gatewayId, turn: this.turn });
  }

  put(known: KnownMember): void {
    const fresh = {
      load: new Set<string>(),
      proposed: 0,
      proposedTurn: 0,
      arrival: ++this.arrivals,
      place: -1,
    };
    const member = { ...known, ...fresh };
    this.byKey.set(nameOf([member.gatewayId, member.number]), member);
    this.gateways.set(member.gatewayId, (this.gateways.get(member.gatewayId) ?? 0) + 1);
    this.turn = Math.max(this.turn, member.turn);
    this.order.add(member);
  }

  remove(member: Member): void {
    const { gatewayId } = member;
    this.byKey.delete(nameOf([gatewayId, member.number]));
    const left = (this.gateways.get(gatewayId) ?? 0) - 1;
    if (left > 0) this.gateways.set(gatewayId, left);
    else this.gateways.delete(gatewayId);
    this.order.remove(member);
  }

  /** Who is to get a message; undefined where nobody may have it. */
  choose(message: LiveMessage): Member | undefined {
    return this.order.first(mayHave(message));
  }

  isForAnybody(message: LiveMessage): boolean {
    return this.order.hasAny(mayHave(message));
  }

  /** It is about to get one more, as far as the next choices are concerned. */
  propose(member: Member): void {
    this.proposedTurn = Math.max(this.proposedTurn, this.turn) + 1;
    member.proposedTurn = this.proposedTurn;
    member.proposed++;
    this.order.moved(member);
  }

  withdrawProposal(member: Member): void {
    member.proposed--;
    this.order.moved(member);
  }

  /** It has one more. */
  attach(member: Member, id: string): void {
    member.load.add(id);
    this.order.moved(member);
  }

  /** It has had its turn. */
  hadTurn(member: Member): void {
    member.turn = ++this.turn;
    this.order.moved(member);
  }

  /** It has one less. */
  detach(member: Member, id: string): void {
    if (member.load.delete(id)) this.order.moved(member);
  }
}

const knownMember = (member: Member): KnownMember => {
  const { number, actorTokenId, filters, acks, isPersistent, gatewayId, turn } = member;
  return { number, actorTokenId, filters, acks, isPersistent, gatewayId, turn };
};

const nameOf = ([gatewayId, number]: MemberKey): string => `${gatewayId}/${number}`;
