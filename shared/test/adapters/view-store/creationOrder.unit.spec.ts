import { expect } from 'chai';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { CreationOrder, type OrderedEntry } from '../../../src/adapters/view-store/creationOrder.js';

describe('CreationOrder', () => {
  const entry = (position: number, id: string): OrderedEntry => ({
    id,
    document: { createdPosition: String(position).padStart(6, '0') },
  });
  const keyOf = ({ id, document }: OrderedEntry): string => `${String(document['createdPosition'])} ${id}`;

  it('has the order of a sorted list after any additions and removals', () => {
    const chance = seededChance(20260401);
    const order = new CreationOrder<OrderedEntry>();
    let expected: OrderedEntry[] = [];
    for (let step = 0; step < 6_000; step += 1) {
      const isRemoval = expected.length > 0 && chance.below(3) === 0;
      const one = isRemoval
        ? chance.oneOf(expected)
        : entry(chance.below(2) * 9_000 + chance.below(900), `${step}`);
      if (isRemoval) expected = expected.filter((each) => each !== one);
      else expected.push(one);
      if (isRemoval) order.delete(one);
      else order.add(one);
    }
    expected.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    expect([...order]).to.deep.equal(expected);
    expect(order.size).to.equal(expected.length);
    expect(order.from(undefined, 1, 700)).to.deep.equal(expected.slice(0, 700));
    expect(order.from(undefined, -1, 700)).to.deep.equal(expected.toReversed().slice(0, 700));
    for (const at of [0, 1, 511, 512, 1_000, expected.length - 1]) {
      const place = { position: expected[at]?.document['createdPosition'], id: expected[at]?.id ?? '' };
      expect(order.from(place, 1, 600)).to.deep.equal(expected.slice(at, at + 600));
      expect(order.from(place, -1, 600)).to.deep.equal(expected.slice(0, at).toReversed().slice(0, 600));
    }
  });

  it('ignores the removal of what it does not hold', () => {
    const order = new CreationOrder<OrderedEntry>();
    order.delete(entry(1, 'a'));
    order.add(entry(1, 'a'));
    order.delete(entry(1, 'b'));
    expect(order.size).to.equal(1);
  });
});
