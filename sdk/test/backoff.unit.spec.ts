import fc from 'fast-check';
import { expect } from 'chai';
import { nextDelay, soonDelay, type Backoff } from '../src/connection/reconnect.js';

const specified: Backoff = {
  baseMs: 5_000,
  multiplier: 1.5,
  maxMs: 30_000,
  jitter: 0.5,
  restartSpreadMs: 3_000,
  earlyMs: [500, 1_000, 2_000],
  wellMs: 10_000,
};

describe('backoff', () => {
  it('grows from 5 s by 1.5 to at most 30 s', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 100_000].map((failures) => nextDelay(failures, specified, () => 0));
    expect(delays).to.deep.equal([5_000, 7_500, 11_250, 16_875, 25_313, 30_000, 30_000, 30_000]);
  });

  it('subtracts the share that the random number and the jitter determine', () => {
    expect(nextDelay(1, specified, () => 0.5)).to.equal(3_750);
    expect(nextDelay(6, specified, () => 0.5)).to.equal(22_500);
    expect(nextDelay(1, { ...specified, jitter: 0 }, () => 0.5)).to.equal(5_000);
  });

  it('stays between the jittered and the full wait', () => {
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), chance, (failures, random) => {
        const full = nextDelay(failures, specified, () => 0);
        const delay = nextDelay(failures, specified, () => random);
        return delay >= Math.floor(full / 2) && delay <= full && full <= 30_000;
      }),
    );
  });

  it('spreads the reconnects after a restart over the whole time', () => {
    expect([0, 0.25, 0.999].map((chance) => soonDelay(specified, () => chance))).to.deep.equal([
      0, 750, 2_997,
    ]);
  });
});
