import { expect } from 'chai';
import { trendOf } from '../../src/soak/memoryTrend.js';

const samples = (megabytesAt: (index: number) => number) =>
  Array.from({ length: 11 }, (_, index) => ({ seconds: index * 300, megabytes: megabytesAt(index) }));

describe('A memory trend', () => {
  it('is flat when the memory goes up and down', () => {
    const { isFlat, grown } = trendOf(samples((index) => 50 + (index % 3) * 2));
    expect(isFlat).to.equal(true);
    expect(Math.abs(grown)).to.be.lessThan(4);
  });

  it('is not impressed by one sample', () => {
    expect(trendOf(samples((index) => (index === 10 ? 200 : 50))).isFlat).to.equal(true);
  });

  it('finds a growth below the ups and downs', () => {
    const { isFlat, grown } = trendOf(samples((index) => 50 + index + (index % 2) * 2));
    expect(grown).to.be.closeTo(10, 1);
    expect(isFlat).to.equal(false);
  });

  it('says nothing of too few samples', () => {
    expect(trendOf(samples(() => 50).slice(0, 3)).isFlat).to.equal(false);
  });
});
