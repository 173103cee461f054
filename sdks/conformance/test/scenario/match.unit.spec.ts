import { expect } from 'chai';
import { differenceOf } from '../../src/scenario/match.js';

describe('What is expected', () => {
  const isLike = (expected: unknown, actual: unknown): boolean =>
    differenceOf(expected, actual) === undefined;

  it('of an object are the fields that it names', () => {
    expect(isLike({ a: 1 }, { a: 1, b: 2 })).to.equal(true);
    expect(isLike({ a: 1, c: 3 }, { a: 1, b: 2 })).to.equal(false);
    expect(isLike({ a: 1 }, [1])).to.equal(false);
    expect(isLike({}, 1)).to.equal(false);
  });

  it('of a list are all of its entries', () => {
    expect(isLike([1, { a: 1 }], [1, { a: 1, b: 2 }])).to.equal(true);
    expect(isLike([1], [1, 2])).to.equal(false);
    expect(isLike([], {})).to.equal(false);
  });

  it('takes null for absent, and nothing else', () => {
    expect(isLike({ a: null }, {})).to.equal(true);
    expect(isLike({ a: null }, { a: 0 })).to.equal(false);
    expect(isLike({ a: 0 }, {})).to.equal(false);
  });

  it('may be said in another way than by a value', () => {
    expect(isLike({ $any: true }, 0)).to.equal(true);
    expect(isLike({ $any: true }, null)).to.equal(false);
    expect(isLike({ a: { $absent: true } }, {})).to.equal(true);
    expect(isLike({ $above: 3 }, 4)).to.equal(true);
    expect(isLike({ $above: 3 }, 3)).to.equal(false);
    expect(isLike({ $not: 3 }, 3)).to.equal(false);
    expect(isLike({ $matches: '^a+$' }, 'aa')).to.equal(true);
    expect(isLike({ $contains: [{ a: 2 }] }, [{ a: 1 }, { a: 2, b: 3 }])).to.equal(true);
    expect(isLike({ $contains: [{ a: 4 }] }, [{ a: 1 }])).to.equal(false);
  });

  it('says where the difference is', () => {
    expect(differenceOf({ a: [{ b: 1 }] }, { a: [{ b: 2 }] })).to.equal('a[0].b is 2, and not 1');
  });
});
