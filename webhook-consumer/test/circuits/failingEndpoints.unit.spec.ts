import { expect } from 'chai';
import { FailingEndpoints } from '../../src/circuits/failingEndpoints.js';

const minutes = 60_000;

describe('[HOOK-CIRCUIT-1] endpoints without a 2xx', () => {
  let forgotten: number;
  let failing: FailingEndpoints;

  beforeEach(() => {
    forgotten = 0;
    failing = new FailingEndpoints(
      { calls: 50, ms: 5 * minutes, againMs: 1, most: 3 },
      () => (forgotten += 1),
    );
  });

  const fail = (calls: number, at: number): void => {
    for (let n = 0; n < calls; n += 1) failing.failed('e', at);
  };

  it('answer nobody after fifty calls, and no earlier than five minutes after the first', () => {
    fail(49, 0);
    expect(failing.takeFinding('e', 6 * minutes)).to.equal(undefined);
    fail(1, 1);
    expect(failing.takeFinding('e', 5 * minutes - 1)).to.equal(undefined);
    expect(failing.takeFinding('e', 5 * minutes)).to.equal(50);
    expect(failing.takeFinding('other', 5 * minutes)).to.equal(undefined);
  });

  it('are counted by all processes together, each by its last word', () => {
    fail(10, 1 * minutes);
    failing.heard('e', 'b', 20, 0);
    failing.heard('e', 'b', 30, 2 * minutes);
    failing.heard('e', 'c', 9, 2 * minutes);
    expect(failing.takeFinding('e', 6 * minutes)).to.equal(undefined);
    failing.heard('e', 'c', 10, 2 * minutes);
    expect(failing.takeFinding('e', 6 * minutes)).to.equal(50);
  });

  it('are found again only after a while, and at once after a 2xx and fifty more failures', () => {
    failing = new FailingEndpoints({ calls: 50, ms: 5 * minutes, againMs: 10 * minutes, most: 3 }, () => 0);
    fail(50, 0);
    expect(failing.takeFinding('e', 5 * minutes)).to.equal(50);
    expect(failing.takeFinding('e', 15 * minutes - 1)).to.equal(undefined);
    expect(failing.takeFinding('e', 15 * minutes)).to.equal(50);
    failing.accepted('e');
    fail(50, 16 * minutes);
    expect(failing.takeFinding('e', 21 * minutes)).to.equal(50);
  });

  it('start over with any 2xx', () => {
    fail(60, 0);
    expect(failing.accepted('e')).to.equal(true);
    expect(failing.accepted('e')).to.equal(false);
    fail(50, 4 * minutes);
    expect(failing.takeFinding('e', 6 * minutes)).to.equal(undefined);
    expect(failing.takeFinding('e', 9 * minutes)).to.equal(50);
  });

  it('are told to the others when their own count has changed', () => {
    fail(2, 0);
    failing.heard('f', 'b', 7, 0);
    expect(failing.takeUntold()).to.eql([['e', 2]]);
    expect(failing.takeUntold()).to.eql([]);
    fail(1, 0);
    expect(failing.takeUntold()).to.eql([['e', 3]]);
  });

  it('are forgotten when there are too many, the one that has failed for longest first', () => {
    for (const endpoint of ['a', 'b', 'c', 'a', 'd']) failing.failed(endpoint, 0);
    expect(forgotten).to.equal(1);
    expect(failing.takeUntold().map(([endpoint]) => endpoint)).to.eql(['b', 'c', 'd']);
  });
});
