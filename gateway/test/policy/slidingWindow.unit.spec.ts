import { expect } from 'chai';
import fc from 'fast-check';
import { SlidingWindow } from '../../src/policy/rateLimits.js';

describe('a sliding window', () => {
  it('[WS-PUB-6] takes the limit in a second, and the next when the first is a second old', () => {
    const window = new SlidingWindow(3, 1_000);
    for (const at of [0, 10, 999]) {
      expect(window.isFull(at)).to.equal(false);
      window.add(at);
    }
    expect(window.isFull(999.9)).to.equal(true);
    expect(window.isFull(1_000)).to.equal(false);
    window.add(1_000);
    expect(window.isFull(1_009)).to.equal(true);
    expect(window.isFull(1_010)).to.equal(false);
  });

  it('[WS-PUB-6] never lets more than the limit into any window, and refuses nothing that fits', () => {
    const gaps = fc.array(fc.nat(700), { minLength: 1, maxLength: 100 });
    const property = fc.property(gaps, fc.integer({ min: 1, max: 8 }), (between, limit) => {
      const window = new SlidingWindow(limit, 1_000);
      const taken: number[] = [];
      let now = 0;
      for (const gap of between) {
        now += gap;
        const recent = taken.filter((at) => now - at < 1_000).length;
        expect(window.isFull(now)).to.equal(recent >= limit);
        if (window.isFull(now)) continue;
        window.add(now);
        taken.push(now);
      }
    });
    fc.assert(property);
  });
});
