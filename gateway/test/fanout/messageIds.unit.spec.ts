import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { expect } from 'chai';
import { MessageIds } from '../../src/fanout/publishToBus.js';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';

describe('message ids', () => {
  it('differ, also within a millisecond and when the clock is set back', () => {
    const clock = new ManualClock();
    const ids = new MessageIds(clock, systemRandom);
    const made: string[] = [];
    for (const step of [0, 1, 0, -60_000, 59_999, 1, 1]) {
      clock.set(clock.now() + step);
      for (let n = 0; n < 100; n++) made.push(ids.next());
    }
    expect(new Set(made).size).to.equal(made.length);
    expect([...made].sort()).to.deep.equal(made);
  });

  it('sort, however many are made while the clock stands still', () => {
    const ids = new MessageIds(new ManualClock(), systemRandom);
    let last = '';
    for (let n = 0; n < 36 ** 4 + 10; n++) {
      const id = ids.next();
      if (id <= last) throw new Error(`${id} came after ${last}`);
      last = id;
    }
  });

  it('differ between gateways that make them at the same moment', () => {
    const clock = new ManualClock();
    const [one, other] = [new MessageIds(clock, systemRandom), new MessageIds(clock, systemRandom)];
    expect(one.next()).not.to.equal(other.next());
  });

  it('sort by time, whichever gateway made them', () => {
    const clock = new ManualClock();
    const gateways = Array.from({ length: 5 }, () => new MessageIds(clock, systemRandom));
    const made = Array.from({ length: 20 }, (_, n) => {
      clock.set(clock.now() + 1);
      return gateways[n % gateways.length]?.next();
    });
    expect([...made].sort()).to.deep.equal(made);
  });
});
