import { expect } from 'chai';
import fc from 'fast-check';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { ErrorAnswer } from '../../src/http/errors.js';
import { createRateLimiter, TokenBuckets } from '../../src/http/rateLimit.js';

const seed = 20261121;
const limits = fc.record({
  perSecond: fc.integer({ min: 1, max: 5_000 }),
  burst: fc.integer({ min: 1, max: 500 }),
});

describe('TokenBuckets', () => {
  it('accepts a burst at once and then the rate', () => {
    const buckets = new TokenBuckets({ perSecond: 10, burst: 3 });
    const tries = (at: number) => Array.from({ length: 5 }, () => buckets.take('k', at) === 0);
    expect(tries(0)).to.eql([true, true, true, false, false]);
    expect(tries(100)).to.eql([true, false, false, false, false]);
    expect(tries(350)).to.eql([true, true, false, false, false]);
    expect(tries(60_000)).to.eql([true, true, true, false, false]);
  });

  it('returns how long to wait', () => {
    const buckets = new TokenBuckets({ perSecond: 2, burst: 1 });
    expect(buckets.take('k', 0)).to.equal(0);
    expect(buckets.take('k', 0)).to.equal(500);
    expect(buckets.take('k', 200)).to.equal(300);
    expect(buckets.take('k', 500)).to.equal(0);
  });

  it('takes no token from a throttled request', () => {
    const buckets = new TokenBuckets({ perSecond: 1, burst: 1 });
    buckets.take('k', 0);
    for (let at = 0; at < 1_000; at += 10) expect(buckets.take('k', at)).not.to.equal(0);
    expect(buckets.take('k', 1_000)).to.equal(0);
  });

  it('keeps keys apart', () => {
    const buckets = new TokenBuckets({ perSecond: 1, burst: 1 });
    expect(['a', 'b', 'a'].map((key) => buckets.take(key, 0) === 0)).to.eql([true, true, false]);
  });

  it('never accepts more in any span than the burst and the rate for it', () => {
    const gaps = fc.array(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 2_000, noNaN: true })), {
      maxLength: 400,
    });
    fc.assert(
      fc.property(limits, fc.double({ min: 0, max: 1e9, noNaN: true }), gaps, (limit, start, steps) => {
        const buckets = new TokenBuckets(limit);
        let now = start;
        const accepted: number[] = [];
        for (const step of steps) {
          now += step;
          if (buckets.take('k', now) === 0) accepted.push(now);
        }
        accepted.forEach((from, first) => {
          for (let last = first; last < accepted.length; last += 1) {
            const seconds = ((accepted[last] as number) - from) / 1_000;
            // A thousandth of a request, for the rounding of times.
            expect(last - first + 1).to.be.at.most(limit.burst + limit.perSecond * seconds + 0.01);
          }
        });
      }),
      { seed, numRuns: 200 },
    );
  });

  it('never throttles a caller that keeps to the rate, or that waits as long as it was told', () => {
    fc.assert(
      fc.property(limits, fc.double({ min: 0, max: 1e9, noNaN: true }), (limit, start) => {
        const steady = new TokenBuckets(limit);
        const eager = new TokenBuckets(limit);
        let now = start;
        for (let n = 0; n < 700; n += 1) {
          expect(steady.take('k', start + (n * 1_000) / limit.perSecond)).to.equal(0);
          const waitMs = eager.take('k', now);
          if (waitMs === 0) continue;
          now += waitMs;
          expect(eager.take('k', now)).to.equal(0);
        }
      }),
      { seed, numRuns: 40 },
    );
  });

  it('forgets the keys whose buckets are full, and no others', () => {
    const buckets = new TokenBuckets({ perSecond: 10, burst: 10 });
    let now = 0;
    let most = 0;
    for (let n = 0; n < 200_000; n += 1) {
      now += 0.1;
      buckets.take(`key-${n}`, now);
      most = Math.max(most, buckets.size);
    }
    // A bucket is full again after 100 ms, in which 1,000 others come.
    expect(most).to.be.at.most(2_100);

    while (buckets.take('busy', now) === 0);
    for (let n = 0; n < 5_000; n += 1) buckets.take(`other-${n}`, now);
    expect(buckets.take('busy', now)).not.to.equal(0);
  });
});

describe('the answer to a request beyond the rate', () => {
  const at = { id: 'r1', now: '2026-01-01T00:00:00.000Z' };

  it('says after how many seconds the next one is accepted, rounded up', () => {
    const clock = new ManualClock();
    const limit = createRateLimiter({ perSecond: 0.4, burst: 1 }, clock);
    const retryAfter = (): string | undefined => {
      try {
        limit('k', at);
        return undefined;
      } catch (error) {
        expect(error).to.be.instanceOf(ErrorAnswer).and.to.include({ status: 429 });
        return (error as ErrorAnswer).headers['Retry-After'];
      }
    };
    expect(retryAfter()).to.equal(undefined);
    expect(retryAfter()).to.equal('3');
    clock.pass(499);
    expect(retryAfter()).to.equal('3');
    clock.pass(1);
    expect(retryAfter()).to.equal('2');
    clock.pass(1_999);
    expect(retryAfter()).to.equal('1');
    clock.pass(1);
    expect(retryAfter()).to.equal(undefined);
  });
});
