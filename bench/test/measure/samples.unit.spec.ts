import { expect } from 'chai';
import { Samples } from '../../src/measure/samples.js';

const samplesOf = (values: Iterable<number>): Samples => {
  const samples = new Samples();
  for (const value of values) samples.record(value);
  return samples;
};

describe('Samples', () => {
  it('compute percentiles by nearest rank, in any order of recording', () => {
    const samples = samplesOf([15, 50, 20, 40, 35]);
    expect([0, 20, 30, 40, 50, 99, 100].map((percent) => samples.percentile(percent))).to.deep.equal([
      15, 15, 20, 20, 35, 50, 50,
    ]);
  });

  it('continue after a percentile was read', () => {
    const samples = samplesOf([3, 1]);
    expect(samples.percentile(100)).to.equal(3);
    samples.record(2);
    expect(samples.percentile(50)).to.equal(2);
  });

  it('grow beyond their initial capacity', () => {
    const samples = samplesOf(Array.from({ length: 200_000 }, (_, index) => 199_999 - index));
    expect([samples.count, samples.percentile(50), samples.percentile(99)]).to.deep.equal([
      200_000, 99_999, 197_999,
    ]);
  });

  it('have no percentile when they are empty', () => {
    const samples = samplesOf([1]);
    samples.clear();
    expect(samples.percentile(50)).to.be.NaN;
  });
});
