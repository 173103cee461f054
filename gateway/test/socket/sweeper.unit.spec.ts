import { expect } from 'chai';
import { Sweeper } from '../../src/socket/sweeper.js';

describe('the sweeper of time-outs', () => {
  let sweeper: Sweeper;
  let swept: number;

  const sweep = (times: number) => {
    for (let count = 0; count < times; count++) sweeper.run();
  };

  beforeEach(() => {
    swept = 0;
    sweeper = new Sweeper(60_000, [{ swept: () => swept++ }]);
  });

  it('[WS-CONN-5] finds a time-out over after the whole of it, and not a sweep before', () => {
    sweep(60);
    expect(sweeper.isOver(60_000, 0)).to.equal(false);
    sweep(1);
    expect(sweeper.isOver(60_000, 0)).to.equal(true);
    expect(swept).to.equal(61);
  });

  it('counts a longer one, which need not be a multiple', () => {
    sweep(91);
    expect(sweeper.isOver(90_500, 0)).to.equal(false);
    sweep(1);
    expect(sweeper.isOver(90_500, 0)).to.equal(true);
  });

  it('[WS-CONN-5] gives what happened later a whole time-out again', () => {
    sweep(60);
    const since = sweeper.sweep;
    sweep(60);
    expect(sweeper.isOver(60_000, since)).to.equal(false);
    sweep(1);
    expect(sweeper.isOver(60_000, since)).to.equal(true);
  });

  it('[WS-CONN-5] a process that was suspended makes one sweep when it resumes, and finds no time-out over', async () => {
    const quick = new Sweeper(60, []);
    quick.start();
    const resumeAt = process.hrtime.bigint() + 200_000_000n;
    while (process.hrtime.bigint() < resumeAt); // As good as SIGSTOP: no timer runs for three time-outs.
    await new Promise((resolve) => setTimeout(resolve, 5));
    quick.stop();
    expect(quick.sweep).to.be.within(1, 59);
    expect(quick.isOver(60, 0)).to.equal(false);
  });
});
