import { expect } from 'chai';
import { pace, paceInTicks } from '../../src/generator/pace.js';

describe('The pace of an open loop', () => {
  for (const keepPace of [pace, paceInTicks])
    it(`acts the given number of times, and tells evenly spaced moments, however late it is (${keepPace.name})`, async () => {
      const moments: number[] = [];
      await keepPace(500, 0.02, (intended) => void moments.push(intended));
      const gaps = moments.slice(1).map((moment, index) => moment - (moments[index] ?? 0));
      expect(moments).to.have.length(10);
      for (const gap of gaps) expect(gap).to.be.closeTo(2, 1e-6);
    });
});
