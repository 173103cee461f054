import { expect } from 'chai';
import fc from 'fast-check';
import type { Member } from '../../src/groups/groupMembers.js';
import { MemberOrder } from '../../src/groups/memberOrder.js';

let arrivals = 0;

const member = (fields: Partial<Member> = {}): Member => ({
  ...{ number: ++arrivals, actorTokenId: 'a', filters: undefined, acks: true, isPersistent: false },
  ...{ gatewayId: 'g', turn: 0, load: new Set<string>(), proposed: 0, proposedTurn: 0, place: -1 },
  arrival: arrivals,
  ...fields,
});

/** The rule as it is written down. */
const before = (one: Member, other: Member): number => {
  const load = ({ acks, load: ids, proposed }: Member) => (acks ? ids.size + proposed : 0);
  const turn = (each: Member) => Math.max(each.turn, each.proposedTurn);
  return load(one) - load(other) || turn(one) - turn(other) || one.arrival - other.arrival;
};

type Step = (order: MemberOrder, members: Member[]) => void;

const one = fc.nat(1_000);
const at = (members: readonly Member[], choice: number): Member | undefined =>
  members[choice % Math.max(1, members.length)];
const coming = fc.tuple(fc.nat(3), fc.boolean()).map(([turn, acks]): Step => (order, members) => {
  const came = member({ turn, acks });
  members.push(came);
  order.add(came);
});
const going = one.map((choice): Step => (order, members) => {
  const gone = at(members, choice);
  if (gone === undefined) return;
  members.splice(members.indexOf(gone), 1);
  order.remove(gone);
});
const changing = fc
  .tuple(one, fc.nat(5), fc.nat(5), fc.nat(5))
  .map(([choice, load, turn, proposed]): Step => (order, members) => {
    const changed = at(members, choice);
    if (changed === undefined) return;
    changed.load.clear();
    for (let count = 0; count < load; count++) changed.load.add(`m${count}`);
    Object.assign(changed, { turn, proposed, proposedTurn: proposed });
    order.moved(changed);
  });

describe('the order of the members of a group', () => {
  it('[WS-GROUP-2] begins with whoever has the fewest messages, has waited longest, and may have the message', () => {
    const steps = fc.array(
      fc.oneof(
        { weight: 4, arbitrary: coming },
        { weight: 1, arbitrary: going },
        { weight: 4, arbitrary: changing },
      ),
      { maxLength: 150 },
    );
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 40 }), (given, oneIn) => {
        const order = new MemberOrder();
        const members: Member[] = [];
        for (const step of given) {
          step(order, members);
          for (const may of [() => true, ({ number }: Member) => number % oneIn === 0, () => false]) {
            const [best] = members.filter(may).sort(before);
            expect(order.first(may)?.number).to.equal(best?.number);
            expect(order.hasAny(may)).to.equal(best !== undefined);
          }
        }
      }),
      { seed: 64, numRuns: 100 },
    );
  });

  it('asks few of many, where most may have the message', () => {
    const order = new MemberOrder();
    for (let count = 0; count < 10_000; count++) order.add(member({ turn: count }));
    let asked = 0;
    order.first(({ turn }) => ++asked > 0 && turn >= 3);
    expect(asked).to.equal(4);
  });
});
