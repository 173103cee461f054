import { expect } from 'chai';
import { IdleSweeper } from '../../src/socket/openConnections.js';

interface Member {
  lastSign: number;
}

describe('the idle sweeper', () => {
  let idle: Member[];
  let members: Member[];
  let sweeper: IdleSweeper<Member>;

  const sweep = (times: number) => {
    for (let count = 0; count < times; count++) sweeper.run();
  };

  beforeEach(() => {
    idle = [];
    members = [{ lastSign: 0 }];
    sweeper = new IdleSweeper(60_000, members, (member, isIdle) => {
      if (isIdle) idle.push(member);
    });
  });

  it('[WS-CONN-5] finds the silent idle after a whole time-out, and not a sweep before', () => {
    sweep(60);
    expect(idle).to.deep.equal([]);
    sweep(1);
    expect(idle).to.deep.equal(members);
  });

  it('[WS-CONN-5] gives who was heard a whole time-out again', () => {
    sweep(60);
    (members[0] as Member).lastSign = sweeper.sweep;
    sweep(60);
    expect(idle).to.deep.equal([]);
    sweep(1);
    expect(idle).to.deep.equal(members);
  });

  it('[WS-CONN-5] a process that was stopped makes one sweep when it goes on, and finds nobody idle', async () => {
    const quick = new IdleSweeper(60, members, (member, isIdle) => {
      if (isIdle) idle.push(member);
    });
    quick.start();
    const resumeAt = process.hrtime.bigint() + 200_000_000n;
    while (process.hrtime.bigint() < resumeAt); // As good as SIGSTOP: no timer runs for three time-outs.
    await new Promise((resolve) => setTimeout(resolve, 5));
    quick.stop();
    expect(quick.sweep).to.be.within(1, 59);
    expect(idle).to.deep.equal([]);
  });
});
