import { expect } from 'chai';
import { History } from '../src/run/history.js';
import { VirtualTime } from '../src/time/virtualTime.js';

describe('the history of a simulation', () => {
  const disturbedBy = (...spans: readonly (readonly [number, number])[]): History => {
    const history = new History(new VirtualTime(), false);
    for (const [from, to] of spans) history.disturbed(from, to);
    return history;
  };

  it('finds calm behind disturbances that follow each other too soon', () => {
    const history = disturbedBy([1_000, 2_000], [6_000, 7_000], [30_000, 31_000]);
    expect(history.calmSince(1_500, 5_000)).to.equal(12_000);
    expect(history.calmSince(500, 5_000)).to.equal(500);
  });

  it('finds it behind an end that no sum and difference leads back to', () => {
    // (0.1 + 0.7) - 0.7 is less than 0.1.
    expect(0.1 + 0.7 - 0.7).to.be.below(0.1);
    expect(disturbedBy([0, 0.1]).calmSince(0.05, 0.7)).to.equal(0.1 + 0.7);
  });
});
