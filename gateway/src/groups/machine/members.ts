import type { GroupMember, KnownMember } from '@roomwire/shared/wire/bus/groupRecord';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { connectionOf } from '@roomwire/shared/wire/bus/messageId';
import { matchesFilters } from '@roomwire/shared/wire/protocol/matchesFilters';

export interface Member extends KnownMember {
  filters?: GroupMember['filters'];
  own?: GroupMember['own'];
  turn: number;
  /** The ids of its open messages. */
  readonly open: Set<string>;
  /** Assignments that the leader has appended and not read yet, and the turn of the last one. Only on the leader. */
  proposed: number;
  proposedTurn: number;
  /** Increases with each member of the group. */
  readonly arrival: number;
  /** Its index in the heap of `MemberOrder`. */
  heapIndex: number;
}

/** [WS-GROUP-3] Whether a member is eligible for a message. */
export const isEligible = ({
  id,
  publisher,
  filters,
}: Pick<LiveMessage, 'id' | 'publisher' | 'filters'>): ((
  member: Pick<GroupMember, 'actorTokenId' | 'filters' | 'own'>,
) => boolean) => {
  let values: ReadonlySet<string> | undefined;
  return (member) =>
    (member.actorTokenId !== publisher || (member.own !== undefined && member.own !== connectionOf(id))) &&
    (member.filters === undefined || matchesFilters(member.filters, (values ??= new Set(filters))));
};

/** The members of a worker group, and which of them is next. */
export class GroupMembers implements Iterable<Member> {
  /** In the order in which they joined. */
  private readonly byKey = new Map<string, Member>();
  private readonly order = new MemberOrder();
  /** The number of members on each gateway, in the order in which the gateways joined. */
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

  get(gatewayId: string, number: number): Member | undefined {
    return this.byKey.get(nameOf(gatewayId, number));
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

  /** Adds a member, or changes what a known one asks for. */
  join(gatewayId: string, member: GroupMember): void {
    const known = this.get(gatewayId, member.number);
    if (known) Object.assign(known, { filters: member.filters, own: member.own });
    else this.put({ ...member, gatewayId, turn: this.turn });
  }

  put(known: KnownMember): void {
    const member: Member = {
      ...known,
      ...{ open: new Set<string>(), proposed: 0, proposedTurn: 0, arrival: ++this.arrivals, heapIndex: -1 },
    };
    this.byKey.set(nameOf(member.gatewayId, member.number), member);
    this.gateways.set(member.gatewayId, (this.gateways.get(member.gatewayId) ?? 0) + 1);
    this.turn = Math.max(this.turn, member.turn);
    this.order.add(member);
  }

  remove(member: Member): void {
    const { gatewayId, number } = member;
    this.byKey.delete(nameOf(gatewayId, number));
    const left = (this.gateways.get(gatewayId) ?? 0) - 1;
    if (left > 0) this.gateways.set(gatewayId, left);
    else this.gateways.delete(gatewayId);
    this.order.remove(member);
  }

  /** The member that a message goes to next; undefined where none is eligible. */
  choose(message: LiveMessage): Member | undefined {
    return this.order.first(isEligible(message));
  }

  hasEligible(message: LiveMessage): boolean {
    return this.order.hasAny(isEligible(message));
  }

  /** Counts a message for the leader's next choices although its assignment is not in effect yet. */
  propose(member: Member): void {
    this.proposedTurn = Math.max(this.proposedTurn, this.turn) + 1;
    member.proposedTurn = this.proposedTurn;
    member.proposed++;
    this.order.update(member);
  }

  withdrawProposal(member: Member): void {
    member.proposed--;
    this.order.update(member);
  }

  assign(member: Member, id: string): void {
    member.turn = ++this.turn;
    this.attach(member, id);
  }

  /** As `assign`, without a turn: the message is the member's in a snapshot. */
  attach(member: Member, id: string): void {
    member.open.add(id);
    this.order.update(member);
  }

  detach(member: Member, id: string): void {
    if (member.open.delete(id)) this.order.update(member);
  }
}

const knownMember = (member: Member): KnownMember => {
  const { number, actorTokenId, filters, acks, isPersistent, own, gatewayId, turn } = member;
  return { number, actorTokenId, filters, acks, isPersistent, own, gatewayId, turn };
};

const nameOf = (gatewayId: string, number: number): string => `${gatewayId}/${number}`;

/** Limit of members examined in heap order; beyond it, all members are compared once. */
const maxExaminedInOrder = 16;

/**
 * [WS-GROUP-2] Members by priority: the fewest open messages first, then the longest wait. A binary heap: a change costs
 * O(log n), reading the first O(1).
 */
export class MemberOrder {
  private readonly heap: Member[] = [];

  add(member: Member): void {
    this.put(member, this.heap.length);
    this.rise(member);
  }

  remove(member: Member): void {
    const last = this.heap.pop() as Member;
    if (last === member) return;
    this.put(last, member.heapIndex);
    this.update(last);
  }

  /** The member's load or turn has changed. */
  update(member: Member): void {
    this.rise(member);
    this.sink(member);
  }

  hasAny(isEligible: (member: Member) => boolean): boolean {
    return this.heap.some(isEligible);
  }

  /** The first eligible member. */
  first(isEligible: (member: Member) => boolean): Member | undefined {
    const [top] = this.heap;
    if (top === undefined || isEligible(top)) return top;
    const candidates = [1, 2];
    for (let examined = 1; examined < maxExaminedInOrder; examined++) {
      const index = this.takeBest(candidates);
      const member = this.heap[index];
      if (member === undefined || isEligible(member)) return member;
      candidates.push(2 * index + 1, 2 * index + 2);
    }
    return this.firstOfAll(isEligible);
  }

  /** Removes and returns the index whose member is first; past the end of the heap where all are. */
  private takeBest(indexes: number[]): number {
    let best = 0;
    for (let at = 1; at < indexes.length; at++)
      if (this.isBefore(indexes[at] as number, indexes[best] as number)) best = at;
    const [index] = indexes.splice(best, 1);
    return index as number;
  }

  private isBefore(one: number, other: number): boolean {
    const [member, otherMember] = [this.heap[one], this.heap[other]];
    if (member === undefined || otherMember === undefined) return member !== undefined;
    return isBefore(member, otherMember);
  }

  private firstOfAll(isEligible: (member: Member) => boolean): Member | undefined {
    let best: Member | undefined;
    for (const member of this.heap)
      if ((best === undefined || isBefore(member, best)) && isEligible(member)) best = member;
    return best;
  }

  private rise(member: Member): void {
    while (member.heapIndex > 0) {
      const parent = this.heap[(member.heapIndex - 1) >> 1] as Member;
      if (!isBefore(member, parent)) return;
      this.swap(member, parent);
    }
  }

  private sink(member: Member): void {
    for (;;) {
      const left = 2 * member.heapIndex + 1;
      const child = this.isBefore(left + 1, left) ? this.heap[left + 1] : this.heap[left];
      if (child === undefined || !isBefore(child, member)) return;
      this.swap(member, child);
    }
  }

  private swap(one: Member, other: Member): void {
    const { heapIndex } = one;
    this.put(one, other.heapIndex);
    this.put(other, heapIndex);
  }

  private put(member: Member, heapIndex: number): void {
    member.heapIndex = heapIndex;
    this.heap[heapIndex] = member;
  }
}

/** Members whose clients do not acknowledge have no load: they take turns. */
const loadOf = ({ acks, open, proposed }: Member): number => (acks ? open.size + proposed : 0);

const turnOf = ({ turn, proposedTurn }: Member): number => Math.max(turn, proposedTurn);

const isBefore = (one: Member, other: Member): boolean =>
  (loadOf(one) - loadOf(other) || turnOf(one) - turnOf(other) || one.arrival - other.arrival) < 0;
