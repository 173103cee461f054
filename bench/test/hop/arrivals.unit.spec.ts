import { expect } from 'chai';
import { Arrivals } from '../../src/hop/arrivals.js';

describe('What arrives at the far end', () => {
  it('is counted by lane, each in its own order', () => {
    const arrivals = new Arrivals(2);
    arrivals.expect('numbers');
    for (const number of [0, 2, 1, 4, 3]) arrivals.take(number, 0);
    expect([arrivals.receivedOf(0), arrivals.receivedOf(1)]).to.deep.equal([3, 2]);
    expect(arrivals).to.include({ received: 5, outOfOrder: 0 });
  });

  it('is out of order when it is late or comes twice', () => {
    const arrivals = new Arrivals(2);
    arrivals.expect('numbers');
    for (const number of [0, 4, 2, 1, 1]) arrivals.take(number, 0);
    expect(arrivals.outOfOrder).to.equal(2);
  });

  it('tells the latency of what was meant to be sent from a moment on', () => {
    const arrivals = new Arrivals(4);
    arrivals.expect('moments');
    arrivals.take(1_000.5, 1_001);
    arrivals.sampleFrom(1_002);
    arrivals.take(1_001.5, 1_010);
    arrivals.take(1_002.5, 1_005);
    expect(arrivals.latencies.count).to.equal(1);
    expect(arrivals.latencies.percentile(50)).to.equal(2.5);
    expect(arrivals.outOfOrder).to.equal(0);
  });
});
