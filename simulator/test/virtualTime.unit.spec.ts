import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { seededChance } from '@roomwire/testing/run/seededChance';
import type { Owner } from '../src/time/owner.js';
import { installVirtualGlobals } from '../src/time/virtualGlobals.js';
import { VirtualTime } from '../src/time/virtualTime.js';

const owner = (fields: Partial<Owner> = {}): Owner => ({
  ...{ isAlive: true, stalledUntil: 0, rate: 1 },
  monotonicAt: (virtual) => virtual,
  wallAt: (virtual) => virtual,
  ...fields,
});

describe('the virtual time', () => {
  let time: VirtualTime;
  let happened: string[];
  const happens = (what: string) => (): void => void happened.push(`${time.now} ${what}`);

  beforeEach(() => {
    time = new VirtualTime();
    happened = [];
  });

  it('runs what is due in its order, each with what its promises do', async () => {
    time.after(undefined, 2, happens('later'));
    time.after(undefined, 1, () => {
      happens('first')();
      void Promise.resolve().then(happens('its promise'));
    });
    time.after(undefined, 1, happens('second'));
    time.after(undefined, 9, happens('too late'));
    await time.run(5);
    expect(happened).to.eql(['1 first', '1 its promise', '1 second', '2 later']);
    expect(time.now).to.equal(5);
  });

  it('holds the timers of a process that stalls, in their order, and drops those of a dead one', async () => {
    const stalled = owner({ stalledUntil: 4 });
    time.after(stalled, 1, happens('one'));
    time.after(stalled, 2, happens('two'));
    time.after(owner({ isAlive: false }), 3, happens('dead'));
    await time.run(5);
    expect(happened).to.eql(['4 one', '4 two']);
  });

  it('counts the time of a process by its own clock', async () => {
    time.timer(owner({ rate: 0.5 }), 2, happens('slow'));
    await time.run(5);
    expect(happened).to.eql(['4 slow']);
  });

  it('rejects with what an event throws', async () => {
    time.after(undefined, 1, () => {
      throw new Error('thrown');
    });
    const error = await time.run(5).catch((thrown: unknown) => thrown);
    expect(error).to.have.property('message', 'thrown');
  });

  it('is that of all timers while it is installed, also of those that are imported', async () => {
    const real = [setTimeout, setImmediate, Date.now, performance.now];
    const restore = installVirtualGlobals(time, seededChance(1));
    try {
      const abort = new AbortController();
      void pause(30).then(happens('pause'));
      pause(50, undefined, { signal: abort.signal }).catch(happens('aborted'));
      const cancelled = setTimeout(happens('cancelled'), 10);
      const interval = setInterval(happens('interval'), 15);
      setTimeout(() => {
        clearTimeout(cancelled);
        setImmediate(happens('immediate'));
      }, 5);
      setTimeout(() => abort.abort(), 40);
      setTimeout(() => clearInterval(interval), 31);
      await time.run(100);
    } finally {
      restore();
    }
    expect([setTimeout, setImmediate, Date.now, performance.now]).to.eql(real);
    expect(happened).to.eql(['5 immediate', '15 interval', '30 pause', '30 interval', '40 aborted']);
  });
});
