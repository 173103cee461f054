import { expect } from 'chai';
import type { Backoff, RetryAfter } from '../src/connection/reconnect.js';
import { Waits } from '../src/connection/waits.js';

const schedule: Backoff = {
  ...{ baseMs: 5_000, multiplier: 1.5, maxMs: 30_000, jitter: 0, restartSpreadMs: 3_000 },
  ...{ earlyMs: [500, 1_000, 2_000], wellMs: 10_000 },
};

/** Of a connection that lasted so long, and ended and failed like this. */
const waitsAfter = (lastedMs: number, ...paces: RetryAfter['pace'][]): number[] => {
  let nowMs = 0;
  const waits = new Waits(
    schedule,
    () => 0.5,
    () => nowMs,
  );
  waits.connected();
  nowMs += lastedMs;
  return paces.map((pace) => waits.next({ pace, tokenRefused: false }));
};

describe('the waits before attempts', () => {
  it('are short at first after a connection that was well, and then those of the contract', () => {
    const paces = Array.from({ length: 7 }, () => 'early' as const);
    expect(waitsAfter(10_000, ...paces)).to.deep.equal([250, 1_000, 2_000, 5_000, 7_500, 11_250, 16_875]);
  });

  it('are those of the contract after a connection that did not last', () => {
    expect(waitsAfter(9_999, 'early', 'early')).to.deep.equal([5_000, 7_500]);
  });

  it('are those of the contract when there was no connection at all', () => {
    const waits = new Waits(
      schedule,
      () => 0.5,
      () => 1e12,
    );
    expect(waits.next({ pace: 'early', tokenRefused: false })).to.equal(5_000);
  });

  it('are short once for each loss: not after a connection that came and went meanwhile', () => {
    let nowMs = 0;
    const waits = new Waits(
      schedule,
      () => 0.5,
      () => nowMs,
    );
    const next = (): number => waits.next({ pace: 'early', tokenRefused: false });
    waits.connected();
    nowMs += 10_000;
    expect(next()).to.equal(250);
    waits.connected();
    nowMs += 1_000;
    expect([next(), next()]).to.deep.equal([5_000, 7_500]);
    waits.connected();
    nowMs += 60_000;
    expect([next(), next()]).to.deep.equal([250, 1_000]);
  });

  it('spread the first attempt after a planned restart, and go on with the short ones', () => {
    expect(waitsAfter(10_000, 'soon', 'early', 'early', 'early')).to.deep.equal([1_500, 1_000, 2_000, 5_000]);
    expect(waitsAfter(1_000, 'soon', 'early')).to.deep.equal([1_500, 7_500]);
  });

  it('are not short where the server has asked for patience', () => {
    expect(waitsAfter(10_000, 'backoff', 'early')).to.deep.equal([5_000, 7_500]);
    expect(waitsAfter(10_000, 'early', 'backoff', 'early')).to.deep.equal([250, 5_000, 7_500]);
  });
});
