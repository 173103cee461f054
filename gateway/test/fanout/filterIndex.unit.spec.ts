import { expect } from 'chai';
import fc from 'fast-check';
import { SetMultimap } from '../../src/setMultimap.js';
import { FilterIndex, type Indexed } from '../../src/fanout/filterIndex.js';
import { matchesFilters } from '@roomwire/shared/wire/protocol/matchesFilters';

class Item implements Indexed {
  mark = 0;
  readonly filters: Indexed['filters'];

  constructor(filters: Indexed['filters']) {
    this.filters = filters;
  }
}

const value = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const entry = fc.oneof(value, fc.array(value, { minLength: 2, maxLength: 4 }));
const change = fc.oneof(
  { weight: 3, arbitrary: fc.record({ add: fc.array(entry, { minLength: 1, maxLength: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ removeAt: fc.nat(20) }) },
);
const message = fc.uniqueArray(value, { maxLength: 5 });

describe('the index of filters', () => {
  it('[WS-FILTER-3] finds the same subscribers as the rule, each once, after any additions and removals', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(change, message), { maxLength: 40 }), (steps) => {
        const index = new FilterIndex<Item>();
        const items: Item[] = [];
        for (const [step, onMessage] of steps) {
          if ('add' in step) {
            const item = new Item(step.add);
            index.add(item);
            items.push(item);
          } else {
            for (const item of items.splice(step.removeAt % (items.length + 1), 1)) index.remove(item);
          }
          const values = new Set(onMessage);
          const wanted = items.filter(({ filters = [] }) => matchesFilters(filters, values));
          const found = index.matching(onMessage);
          expect(found).to.have.lengthOf(wanted.length);
          expect(wanted.every((item) => found.includes(item))).to.equal(true);
          expect(index.isEmpty).to.equal(items.length === 0);
        }
      }),
      { seed: 20261, numRuns: 500 },
    );
  });

  it('keeps no state of removed items', () => {
    const index = new FilterIndex<Item>();
    const items = [new Item(['a', ['b', 'c'], ['c', 'b', 'b'], ['d', 'd']]), new Item([['c', 'b'], 'a'])];
    for (const item of items) index.add(item);
    for (const item of items) index.remove(item);
    const parts = Object.values(index).filter((part) => part instanceof Map || part instanceof SetMultimap);
    expect(parts).to.have.lengthOf(3);
    for (const part of parts) expect(part.size).to.equal(0);
  });

  it('finds an item that another index has marked', () => {
    const [first, second] = [new FilterIndex<Item>(), new FilterIndex<Item>()];
    const item = new Item(['a']);
    first.add(item);
    first.matching(['a']);
    first.remove(item);
    second.add(item);
    expect(second.matching(['a'])).to.deep.equal([item]);
  });

  it('looks up a group under its rarest value', () => {
    const index = new FilterIndex<Item>();
    for (let n = 0; n < 100; n++) index.add(new Item([['often', `rare-${n}`]]));
    expect(index['groupsUnder'].get('often')?.size).to.equal(1);
    expect(index.matching(['often', 'rare-7'])).to.have.lengthOf(1);
  });
});
