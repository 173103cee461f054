import { expect } from 'chai';
import { Arrivals } from '../../src/hop/arrivals.js';
import { keepInFlight } from '../../src/hop/keepInFlight.js';
import type { Line } from '../../src/hop/line.js';

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

  it('begins with the share of each lane, numbered so that the lanes can be told apart', () => {
    expect(first.stamps).to.deep.equal([0, 2, 4, 6]);
    expect(second.stamps).to.deep.equal([1, 3, 5, 7]);
  });

  it('replaces what was acknowledged and has arrived, and nothing that is only one of them', () => {
    first.acknowledged = 3;
    second.acknowledged = 4;
    for (const number of [0, 2]) arrivals.take(number, 0);
    line.onProgress?.();
    expect(first.stamps.slice(4)).to.deep.equal([8, 10]);
    expect(second.sent).to.equal(4);
  });

  it('sends nothing more when it is over', () => {
    stop();
    first.acknowledged = 6;
    for (const number of [4, 6, 8, 10]) arrivals.take(number, 0);
    line.onProgress?.();
    expect(first.sent).to.equal(6);
  });
});
