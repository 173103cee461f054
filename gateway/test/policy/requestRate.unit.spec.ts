import { expect } from 'chai';
import { requestRate } from '../../src/policy/rateLimits.js';

describe('the requests of a connection', () => {
  it('gives ten seconds’ worth at once, and then each when its time has come', () => {
    const requests = requestRate(100);
    for (let taken = 0; taken < 1_000; taken++) expect(requests.reserve(5)).to.equal(0);
    expect(requests.reserve(5)).to.equal(10);
    expect(requests.reserve(5)).to.equal(20);
    expect(requests.reserve(25)).to.equal(10);
  });

  it('gives the rate for as long as it is asked for, and never more', () => {
    const requests = requestRate(100);
    for (let now = 0; now < 60_000; now += 10) expect(requests.reserve(now)).to.equal(0);
    for (let taken = 0; taken < 999; taken++) expect(requests.reserve(60_000)).to.equal(0);
    expect(requests.reserve(60_000)).to.be.within(0, 10);
    expect(requests.reserve(60_000)).to.be.above(0);
  });

  it('does not grow while it is not used', () => {
    const requests = requestRate(1);
    requests.reserve(0);
    for (let taken = 0; taken < 10; taken++) expect(requests.reserve(1e9)).to.equal(0);
    expect(requests.reserve(1e9)).to.equal(1_000);
  });
});
