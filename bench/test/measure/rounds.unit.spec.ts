import { expect } from 'chai';
import { inAlternation, median, medianRatio } from '../../src/measure/rounds.js';

describe('Rounds', () => {
  it('alternate between the peers', async () => {
    const order: string[] = [];
    const peer = (name: string) => ({
      name,
      measure: async (round: number) => {
        order.push(`${name}${round}`);
        return order.length;
      },
    });
    const results = await inAlternation([peer('a'), peer('b'), peer('c')], 2);
    expect(order).to.deep.equal(['a0', 'b0', 'c0', 'a1', 'b1', 'c1']);
    expect(results.map(({ rounds }) => rounds)).to.deep.equal([
      [1, 4],
      [2, 5],
      [3, 6],
    ]);
  });

  it('have a median: the middle one, or the mean of the two in the middle', () => {
    expect(median([9, 1, 5])).to.equal(5);
    expect(median([4, 1, 3, 2])).to.equal(2.5);
    expect(median([Number.NaN, 7])).to.equal(7);
    expect(median([])).to.be.NaN;
  });

  it('are compared round by round, so that a slow one does not count', () => {
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
