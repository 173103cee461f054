import { expect } from 'chai';
import { Arrivals, type Line } from '../../src/hop/line.js';
import { keepInFlight } from '../../src/hop/measureHop.js';

describe('The count of arrivals', () => {
  it('is kept by lane, each in its own order', () => {
    const arrivals = new Arrivals(2);
    arrivals.expect('numbers');
    for (const number of [0, 2, 1, 4, 3]) arrivals.take(number, 0);
    expect([arrivals.receivedOf(0), arrivals.receivedOf(1)]).to.deep.equal([3, 2]);
    expect(arrivals).to.include({ received: 5, outOfOrder: 0 });
  });

  it('counts late and duplicate arrivals as out of order', () => {
    const arrivals = new Arrivals(2);
    arrivals.expect('numbers');
    for (const number of [0, 4, 2, 1, 1]) arrivals.take(number, 0);
    expect(arrivals.outOfOrder).to.equal(2);
  });

  it('measures the latency of messages from a moment on, since they were due', () => {
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

class FakeLane {
  sent = 0;
  acknowledged = 0;
  readonly stamps: number[] = [];

  send(stamps: readonly number[]): void {
    this.sent += stamps.length;
    this.stamps.push(...stamps);
  }
}

describe('A window of messages in flight', () => {
  const lanes = [new FakeLane(), new FakeLane()];
  const [first, second] = lanes as [FakeLane, FakeLane];
  const arrivals = new Arrivals(2);
  const line: Line = { lanes, arrivals, onProgress: undefined, check: () => undefined };
  const stop = keepInFlight(line, 8);

  it('starts with the share of each lane, numbered so that the lanes are distinguishable', () => {
    expect(first.stamps).to.deep.equal([0, 2, 4, 6]);
    expect(second.stamps).to.deep.equal([1, 3, 5, 7]);
  });

  it('replaces messages that were both acknowledged and delivered', () => {
    first.acknowledged = 3;
    second.acknowledged = 4;
    for (const number of [0, 2]) arrivals.take(number, 0);
    line.onProgress?.();
    expect(first.stamps.slice(4)).to.deep.equal([8, 10]);
    expect(second.sent).to.equal(4);
  });

  it('sends nothing after its end', () => {
    stop();
    first.acknowledged = 6;
    for (const number of [4, 6, 8, 10]) arrivals.take(number, 0);
    line.onProgress?.();
    expect(first.sent).to.equal(6);
  });
});
