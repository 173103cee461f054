import { expect } from 'chai';
import { compactNumber, linePath, roundMaximum } from '../../src/components/chart/chartScale.js';

describe('the scale of a chart', () => {
  it('ends at a round number that is no less', () => {
    expect([0, 4, 7, 10, 11, 23, 45, 99, 1_401, 6_500].map(roundMaximum)).to.eql([
      4, 4, 10, 10, 20, 40, 50, 100, 2_000, 10_000,
    ]);
  });

  it('is written shortly', () => {
    expect([0, 950, 2_500, 1_000_000].map(compactNumber)).to.eql(['0', '950', '2.5K', '1M']);
  });
});

describe('the line of a chart', () => {
  it('goes from the left to the right, upwards for more', () => {
    expect(linePath([0, 5, 10], 10)).to.equal('M0 100L50 50L100 0');
  });

  it('has a gap where nothing is known, and a dot for what stands alone', () => {
    expect(linePath([1, 1, null, 2, null, 4], 4)).to.equal('M0 75L20 75M60 50h0M100 0h0');
    expect(linePath([null, null], 4)).to.equal('');
    expect(linePath([4], 4)).to.equal('M0 0h0');
  });
});
