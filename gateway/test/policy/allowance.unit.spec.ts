import { expect } from 'chai';
import { RequestRate } from '../../src/policy/rateLimits.js';

describe('an allowance', () => {
  it('gives ten seconds’ worth at once, and then each when its time has come', () => {
    const allowance = new RequestRate(100);
    for (let taken = 0; taken < 1_000; taken++) expect(allowance.take(5)).to.equal(0);
    expect(allowance.take(5)).to.equal(10);
    expect(allowance.take(5)).to.equal(20);
    expect(allowance.take(25)).to.equal(10);
  });

  it('gives the rate for as long as it is asked for, and never more', () => {
    const allowance = new RequestRate(100);
    for (let now = 0; now < 60_000; now += 10) expect(allowance.take(now)).to.equal(0);
    for (let taken = 0; taken < 999; taken++) expect(allowance.take(60_000)).to.equal(0);
    expect(allowance.take(60_000)).to.be.within(0, 10);
    expect(allowance.take(60_000)).to.be.above(0);
  });

  it('does not grow while it is not used', () => {
    const allowance = new RequestRate(1);
    allowance.take(0);
    for (let taken = 0; taken < 10; taken++) expect(allowance.take(1e9)).to.equal(0);
    expect(allowance.take(1e9)).to.equal(1_000);
  });
});
