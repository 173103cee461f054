import { expect } from 'chai';
import { simulate } from '../src/run/simulate.js';

/** One of the seeds takes some seconds of a core. */
const timeoutMs = 120_000;

describe('a simulation', () => {
  it('passes, and happens in the same way with the same seed, whether or not the trace is kept', async () => {
    const once = await simulate({ seed: 7, keepsTrace: true });
    const again = await simulate({ seed: 7, keepsTrace: false });
    expect(once.violations).to.eql([]);
    expect(again.digest).to.equal(once.digest);
    expect(once.trace.length).to.be.above(1_000);
    expect(again.trace).to.eql([]);
    expect(once.counts['deliveries']).to.be.above(500);
  }).timeout(timeoutMs);

  it('gives the clocks, timers and random bytes of the process back', async () => {
    const real = [setTimeout, setImmediate, Date.now, performance.now];
    await simulate({ seed: 8, keepsTrace: false });
    expect([setTimeout, setImmediate, Date.now, performance.now]).to.eql(real);
  }).timeout(timeoutMs);
});
