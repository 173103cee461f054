import { expect } from 'chai';
import { Distribution, secondsBounds } from '../../src/runtime/distribution.js';

describe('Distribution', () => {
  it('counts a value at its bound, and values above all bounds separately', () => {
    const distribution = new Distribution([1, 2, 5]);
    for (const value of [0, 1, 1.5, 2, 4, 5, 5.01, 100]) distribution.observe(value);
    expect(distribution.counts).to.eql([2, 2, 2, 2]);
    expect(distribution.sum).to.be.closeTo(118.51, 1e-9);
  });

  it('has ascending bounds', () => {
    expect(secondsBounds).to.eql(secondsBounds.toSorted((one, other) => one - other));
    expect(new Set(secondsBounds)).to.have.property('size', secondsBounds.length);
  });
});
