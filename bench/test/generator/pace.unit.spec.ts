import { expect } from 'chai';
import { inTurn, pace, paceInTicks } from '../../src/generator/pace.js';

describe('The pace of an open loop', () => {
  for (const keepPace of [pace, paceInTicks])
    it(`acts the requested number of times, and reports evenly spaced moments, however late it is (${keepPace.name})`, async () => {
      const moments: number[] = [];
      await keepPace(500, 0.02, (intended) => void moments.push(intended));
      const gaps = moments.slice(1).map((moment, index) => moment - (moments[index] ?? 0));
      expect(moments).to.have.length(10);
      for (const gap of gaps) expect(gap).to.be.closeTo(2, 1e-6);
    });
});

describe('A pool of tasks', () => {
  it('runs each once and never more than the limit at a time', async () => {
    const done: number[] = [];
    let running = 0;
    let most = 0;
    await inTurn(20, 3, async (index) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      done.push(index);
    });
    expect(done.sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 20 }, (_, index) => index));
    expect(most).to.equal(3);
  });

  it('fails with the first failure', async () => {
    const failing = inTurn(5, 2, async (index) => {
      if (index === 1) throw new Error('the second');
    });
    const error = await failing.catch((reason: unknown) => reason);
    expect(error).to.be.an('error').with.property('message', 'the second');
  });
});
