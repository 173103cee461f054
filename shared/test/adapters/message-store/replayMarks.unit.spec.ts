import { expect } from 'chai';
import fc from 'fast-check';
import { merged, newestOf, type Mark } from '../../../src/adapters/message-store/replayMarks.js';

const mark = (run: number, offset: number, recordedAt: number): Mark => ({
  run,
  offset,
  recordedAt,
  id: String(offset).padStart(4, '0'),
});

describe('the marks of a replay', () => {
  it('keep the order of each run and the order of time between them', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(20), { maxLength: 20 }), { maxLength: 4 }), (times) => {
        const runs = times.map((run, n) =>
          [...run].sort((a, b) => a - b).map((time, at) => mark(n, at, time)),
        );
        const all = merged(runs);
        expect(all.map(({ recordedAt }) => recordedAt)).to.deep.equal(times.flat().sort((a, b) => a - b));
        for (const [n, run] of runs.entries()) {
          expect(all.filter((one) => one.run === n)).to.deep.equal(run);
        }
      }),
      { seed: 7 },
    );
  });

  it('keep the order of a run whose clocks differed', () => {
    const run = [mark(0, 1, 10), mark(0, 2, 5), mark(0, 3, 11)];
    expect(merged([run, [mark(1, 1, 7)]]).filter((one) => one.run === 0)).to.deep.equal(run);
  });

  it('of the same moment are in the order of their ids', () => {
    const all = merged([[mark(0, 2, 5)], [mark(1, 1, 5)], [mark(2, 3, 5)]]);
    expect(all.map(({ offset }) => offset)).to.deep.equal([1, 2, 3]);
  });

  it('are limited to the newest ones', () => {
    const run = [1, 2, 3].map((at) => mark(0, at, at));
    expect(newestOf(run, 2)).to.deep.equal(run.slice(1));
    expect(newestOf(run, 9)).to.deep.equal(run);
    expect(newestOf(run, 0)).to.deep.equal([]);
  });
});
