import type { Member } from './groupMembers.js';

/** So many are passed over one after the other; with more, all are looked at once. */
const mostPassedOver = 16;

/**
 * [WS-GROUP-2] Members in the order in which they are to be given messages: the one with the fewest that are not done first, and
 * among equals whoever has waited longest. A heap: a change costs the logarithm of their number, the first one nothing.
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
    this.put(last, member.place);
    this.moved(last);
  }

  /** What it has, or when it had its turn, has changed. */
  moved(member: Member): void {
    this.rise(member);
    this.sink(member);
  }

  /** Any of those who may; the cheapest to find. */
  hasAny(may: (member: Member) => boolean): boolean {
    return this.heap.some(may);
  }

  /** The first of those who may. */
  first(may: (member: Member) => boolean): Member | undefined {
    const [top] = this.heap;
    if (top === undefined || may(top)) return top;
    const next = [1, 2];
    for (let passedOver = 1; passedOver < mostPassedOver; passedOver++) {
      const at = this.takeBest(next);
      const member = this.heap[at];
      if (member === undefined || may(member)) return member;
      next.push(2 * at + 1, 2 * at + 2);
    }
    return this.firstOfAll(may);
  }

  /** Takes the place out that is before the others, past the end where all are. */
  private takeBest(places: number[]): number {
    let best = 0;
    for (let index = 1; index < places.length; index++)
      if (this.isBefore(places[index] as number, places[best] as number)) best = index;
    const [place] = places.splice(best, 1);
    return place as number;
  }

  private isBefore(one: number, other: number): boolean {
    const [member, otherMember] = [this.heap[one], this.heap[other]];
    if (member === undefined || otherMember === undefined) return member !== undefined;
    return isBefore(member, otherMember);
  }

  private firstOfAll(may: (member: Member) => boolean): Member | undefined {
    let best: Member | undefined;
    for (const member of this.heap)
      if ((best === undefined || isBefore(member, best)) && may(member)) best = member;
    return best;
  }

  private rise(member: Member): void {
    while (member.place > 0) {
      const above = this.heap[(member.place - 1) >> 1] as Member;
      if (!isBefore(member, above)) return;
      this.swap(member, above);
    }
  }

  private sink(member: Member): void {
    for (;;) {
      const left = 2 * member.place + 1;
      const below = this.isBefore(left + 1, left) ? this.heap[left + 1] : this.heap[left];
      if (below === undefined || !isBefore(below, member)) return;
      this.swap(member, below);
    }
  }

  private swap(one: Member, other: Member): void {
    const { place } = one;
    this.put(one, other.place);
    this.put(other, place);
  }

  private put(member: Member, place: number): void {
    member.place = place;
    this.heap[place] = member;
  }
}

/** Members whose clients acknowledge nothing have no load: they simply take turns. */
const loadOf = ({ acks, load, proposed }: Member): number => (acks ? load.size + proposed : 0);

const turnOf = ({ turn, proposedTurn }: Member): number => Math.max(turn, proposedTurn);

const isBefore = (one: Member, other: Member): boolean =>
  (loadOf(one) - loadOf(other) || turnOf(one) - turnOf(other) || one.arrival - other.arrival) < 0;
