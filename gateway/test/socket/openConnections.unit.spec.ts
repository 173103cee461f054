import { expect } from 'chai';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { closes, type CloseSpec } from '@roomwire/shared/wire/protocol/protocolErrors';
import { drain, IdleSweeper } from '../../src/socket/openConnections.js';

const count = 40;
const overMs = 400;
const never = new Promise<void>(() => undefined);

interface Closed {
  readonly place: number;
  readonly atMs: number;
  readonly why: CloseSpec;
}

const room = (): { connections: Set<{ close(why: CloseSpec): void }>; closed: Closed[] } => {
  const closed: Closed[] = [];
  const from = performance.now();
  const connection = (place: number) => ({
    close: (why: CloseSpec) => void closed.push({ place, atMs: performance.now() - from, why }),
  });
  return { connections: new Set(Array.from({ length: count }, (_, place) => connection(place))), closed };
};

describe('a drain', () => {
  it('closes every connection once, none before its share of the time has passed', async () => {
    const { connections, closed } = room();
    await drain({ connections, emptied: never, random: systemRandom, overMs });
    expect(new Set(closed.map(({ place }) => place)).size).to.equal(count);
    expect(closed).to.have.length(count);
    for (const [n, { atMs, why }] of closed.entries()) {
      expect(why).to.equal(closes.serviceRestart);
      // Timers may come a little early, and what is due at once is not waited for.
      expect(atMs).to.be.at.least((n / count) * overMs - 7);
    }
  });

  it('is in random order', async () => {
    const orders = [];
    for (let round = 0; round < 2; round += 1) {
      const { connections, closed } = room();
      await drain({ connections, emptied: never, random: systemRandom, overMs: 10 });
      orders.push(closed.map(({ place }) => place));
    }
    const byAge = Array.from({ length: count }, (_, place) => place);
    expect(orders[0]).to.not.eql(byAge);
    expect(orders[1]).to.not.eql(orders[0]);
  });

  it('ends when all connections have closed by themselves', async () => {
    const { connections, closed } = room();
    await drain({
      ...{ connections, random: systemRandom, overMs: 3_600_000 },
      emptied: new Promise((resolve) => setTimeout(resolve, 20)),
    });
    expect(closed).to.have.length(0);
  });
});

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

  it('[WS-CONN-5] finds idle connections after a whole time-out, and not a sweep before', () => {
    sweep(60);
    expect(idle).to.deep.equal([]);
    sweep(1);
    expect(idle).to.deep.equal(members);
  });

  it('[WS-CONN-5] gives a connection that sent something a whole time-out again', () => {
    sweep(60);
    (members[0] as Member).lastSign = sweeper.sweep;
    sweep(60);
    expect(idle).to.deep.equal([]);
    sweep(1);
    expect(idle).to.deep.equal(members);
  });

  it('[WS-CONN-5] a process that was suspended makes one sweep when it resumes, and finds no connection idle', async () => {
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
