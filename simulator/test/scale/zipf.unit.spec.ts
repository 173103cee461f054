import { expect } from 'chai';
import { zipfCounts } from '../../src/scale/model/zipf.js';

describe('a Zipf distribution', () => {
  it('gives everything away, to the n-th an n-th of what the first has', () => {
    const counts = zipfCounts(200_000, 2_000, 1);
    expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(200_000);
    const [first = 0] = counts;
    for (const rank of [2, 10, 100, 1_000])
      expect(counts[rank - 1]).to.be.within(Math.floor(first / rank) - 1, Math.ceil(first / rank) + 1);
  });

  it('is even where the exponent is 0', () => {
    expect([...zipfCounts(10, 4, 0)]).to.have.members([3, 2, 3, 2]);
  });
});
