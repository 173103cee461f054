import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { backOffMs, sleep, withJitter, withTimeout } from '../../src/runtime/waiting.js';

const never = new Promise<string>(() => undefined);

const late = (): never => {
  throw new Error('late');
};

describe('a time-out', () => {
  it('returns the outcome of an action that ends in time', async () => {
    expect(await withTimeout(1_000, Promise.resolve('in time'), late)).to.equal('in time');
    const failed = withTimeout(1_000, Promise.reject(new Error('failed')), () => 'late');
    expect(await failed.catch(String)).to.equal('Error: failed');
  });

  it('returns the fallback, or throws the error, for an action that takes longer', async () => {
    expect(await withTimeout(1, never, () => 'late')).to.equal('late');
    expect(await withTimeout(1, never, late).catch(String)).to.equal('Error: late');
  });

  it('ignores a later failure of the action', async () => {
    const failing = pause(5).then(() => Promise.reject<string>(new Error('failed')));
    expect(await withTimeout(1, failing, () => 'late')).to.equal('late');
    await pause(10);
  });
});

describe('a sleep', () => {
  it('ends after its time, and when the signal aborts', async () => {
    const closing = new AbortController();
    await sleep(1, closing.signal);
    const sleeping = sleep(60_000, closing.signal);
    closing.abort();
    await sleeping;
    await sleep(60_000, closing.signal);
  });
});

describe('a back-off', () => {
  it('doubles up to its bound', () => {
    const waits = [1, 2, 3, 4, 2_000].map((failures) => backOffMs({ firstMs: 50, longestMs: 300 }, failures));
    expect(waits).to.deep.equal([50, 100, 200, 300, 300]);
  });

  it('waits longer after each failure, within bounds, with random jitter', () => {
    const backOff = { firstMs: 100, longestMs: 3_000 };
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, chance) => {
          const bound = Math.min(3_000, 100 * 2 ** (failures - 1));
          expect(withJitter(backOffMs(backOff, failures), chance)).to.be.within(bound / 2, bound);
        },
      ),
    );
  });
});
