import { expect } from 'chai';
import { inAlternation, median, medianRatio } from '../../src/measure/comparison.js';

describe('Rounds', () => {
  const recorded = (names: readonly string[]) => {
    const order: string[] = [];
    const peers = names.map((name) => ({
      name,
      measure: async (round: number) => {
        order.push(`${name}${round}`);
        return order.length;
      },
    }));
    return { order, peers };
  };

  it('alternate between the peers, each round starting with the next one', async () => {
    const { order, peers } = recorded(['a', 'b', 'c']);
    await inAlternation(peers, 4);
    expect(order.join(' ')).to.equal('a0 b0 c0 b1 c1 a1 c2 a2 b2 a3 b3 c3');
  });

  it('return their results in the order of the peers and of the rounds', async () => {
    const results = await inAlternation(recorded(['a', 'b', 'c']).peers, 2);
    expect(results).to.deep.equal([
      { peer: 'a', rounds: [1, 6] },
      { peer: 'b', rounds: [2, 4] },
      { peer: 'c', rounds: [3, 5] },
    ]);
  });

  it('may have one peer, or none', async () => {
    const { order, peers } = recorded(['a']);
    await inAlternation(peers, 2);
    expect(order).to.deep.equal(['a0', 'a1']);
    expect(await inAlternation([], 2)).to.deep.equal([]);
  });

  it('have a median: the middle one, or the mean of the two in the middle', () => {
    expect(median([9, 1, 5])).to.equal(5);
    expect(median([4, 1, 3, 2])).to.equal(2.5);
    expect(median([Number.NaN, 7])).to.equal(7);
    expect(median([])).to.be.NaN;
  });

  it('are compared round by round, so that a slow one has no effect', () => {
    const row = (peer: string, values: readonly number[]) => ({
      peer,
      rounds: values.map((speed) => ({ speed })),
    });
    const fast = row('fast', [100, 20, 300]);
    const slow = row('slow', [50, 10, 100]);
    expect(medianRatio(fast, slow, 'speed')).to.equal(2);
    expect(medianRatio(fast, slow, 'weight')).to.be.NaN;
  });
});
