import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import type { LeaseStatement } from '@roomwire/shared/wire/bus/gatewayNews';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { Allowance } from '../../src/limits/allowance.js';

const waits = { returnMs: 1_000, answerMs: 1_000, restMs: 100 };

/** What one gateway may use, and what it knows of the others. */
const world = (...others: readonly string[]) => {
  const clock = new ManualClock();
  const terms = {
    ...{ most: 100 as number | null, used: 0, usedUp: 0, isFreedAgain: true },
    use: () => undefined,
    usedBy: (gatewayId: string): number => (gatewayId === 'former' ? 7 : 1),
    reads: [] as (() => void)[],
    read: () => new Promise<void>((resolve) => terms.reads.push(resolve)),
  };
  const cluster = {
    others,
    takesLeases: (gatewayId: string) => gatewayId !== 'former',
    isHeard: true,
    absences: 0,
  };
  const state = { isReady: true };
  const allowance = new Allowance(terms, { clock, cluster, waits, isReady: () => state.isReady });
  const hear = (gatewayId: string, statement: Omit<LeaseStatement, 'key'>, order = 1): void => {
    allowance.holdings.heard(gatewayId, { key: 'k', ...statement }, order);
  };
  return { allowance, clock, terms, cluster, state, hear };
};

describe('[WS-AUTH-12] what a gateway may use without asking', () => {
  it('is everything but what is used up where it is alone, once it knows that it is', () => {
    const { allowance, terms, state } = world();
    terms.usedUp = 3;
    expect(allowance.allowed(100)).to.equal(97);
    state.isReady = false;
    expect(allowance.allowed(100)).to.equal(0);
  });

  it('is nothing where it is alone because another one has gone, until that is read', async () => {
    const { allowance, terms } = world();
    allowance.lost('other');
    expect([allowance.isStale, allowance.allowed(100)]).to.eql([true, 0]);
    let thens = 0;
    allowance.readAgain(() => void (thens += 1));
    // It is being read.
    allowance.readAgain(() => void (thens += 1));
    expect([terms.reads.length, thens]).to.eql([1, 0]);
    terms.reads[0]?.();
    await turn();
    expect([allowance.isStale, allowance.allowed(100), thens]).to.eql([false, 100, 1]);
  });

  it('is not known yet where another one has gone while that was read', async () => {
    const { allowance, terms } = world();
    allowance.lost('one');
    allowance.readAgain(() => undefined);
    allowance.lost('other');
    terms.reads[0]?.();
    await turn();
    expect(allowance.isStale).to.equal(true);
    allowance.readAgain(() => undefined);
    terms.reads[1]?.();
    await turn();
    expect(allowance.isStale).to.equal(false);
  });

  it('is what it was granted where there are others', () => {
    const { allowance } = world('other');
    expect(allowance.allowed(100)).to.equal(0);
    allowance.grant(1, 100, 5);
    expect(allowance.allowed(100)).to.equal(5);
    expect(allowance.allowed(101)).to.equal(5);
    // The limit is lower than it was.
    expect(allowance.allowed(99)).to.equal(0);
  });

  it('is nothing while the others may have taken it for dead, until it begins anew', () => {
    const { allowance, cluster, terms, hear } = world('other');
    allowance.grant(1, 100, 5);
    allowance.holdings.answered('other');
    hear('other', { held: 4 });
    cluster.isHeard = false;
    expect([allowance.isInDoubt, allowance.allowed(100)]).to.eql([true, 0]);
    cluster.isHeard = true;
    expect([allowance.isInDoubt, allowance.allowed(100)]).to.eql([false, 5]);
    cluster.absences = 1;
    expect([allowance.isInDoubt, allowance.allowed(100)]).to.eql([true, 0]);
    terms.used = 2;
    allowance.beginAnew();
    expect([allowance.isInDoubt, allowance.allowed(100)]).to.eql([false, 2]);
    expect(allowance.holdings.heldBy('other')).to.equal(undefined);
  });
});

describe('[WS-AUTH-12] a grant', () => {
  const held = (need: number, room: number, upTo: number): number => {
    const { allowance } = world('other');
    allowance.grant(need, room, upTo);
    return allowance.held;
  };

  it('is what is needed and a portion of the rest, which is shared with the others', () => {
    expect(held(1, 101, 1_000)).to.equal(1 + 25);
    expect(held(1, 4, 1_000)).to.equal(1);
    expect(held(1, 5, 1_000)).to.equal(2);
    expect(world('a', 'b').allowance.portionOf(60)).to.equal(10);
    expect(world().allowance.portionOf(60)).to.equal(30);
  });

  it('is no more than was asked for, or than there is', () => {
    expect(held(1, 101, 7)).to.equal(7);
    expect(held(5, 3, 9)).to.equal(3);
    expect(held(5, -2, 9)).to.equal(0);
    expect(world('a').allowance.portionOf(-8)).to.equal(0);
  });

  it('is low when half of what was granted in advance is used', () => {
    const { allowance, terms } = world('other');
    allowance.grant(1, 101, 1_000);
    for (const [used, isLow] of [
      [1, false],
      [13, false],
      [14, true],
      [26, true],
    ] as const) {
      terms.used = used;
      expect(allowance.isLow, `${used} used`).to.equal(isLow);
    }
  });

  it('is not low where nothing was granted in advance, or what was is given back', () => {
    const { allowance, terms } = world('other');
    terms.used = 1;
    allowance.grant(1, 1, 1);
    expect(allowance.isLow).to.equal(false);
    allowance.grant(1, 101, 1_000);
    terms.used = 20;
    allowance.giveBack();
    expect([allowance.held, allowance.isLow]).to.eql([20, false]);
    terms.used = 30;
    allowance.giveBack();
    expect(allowance.held).to.equal(20);
  });

  it('holds for a limit that is taken away and comes back', () => {
    const { allowance, terms } = world('other');
    terms.most = null;
    allowance.grant(1, 100, 5);
    expect(allowance.allowed(0)).to.equal(5);
  });
});

describe('after a refusal', () => {
  it('the others are not asked for a while, unless the limit is raised or taken away', () => {
    const { allowance, clock, terms } = world('other');
    expect(allowance.restMs).to.equal(0);
    allowance.rest();
    expect(allowance.restMs).to.equal(100);
    clock.pass(40);
    expect(allowance.restMs).to.equal(60);
    terms.most = 99;
    expect(allowance.restMs).to.equal(60);
    for (const most of [101, null]) {
      terms.most = most;
      expect(allowance.restMs).to.equal(0);
    }
    terms.most = 100;
    clock.pass(70);
    expect(allowance.restMs).to.equal(0);
  });

  it('without a limit it does not rest under one', () => {
    const { allowance, terms } = world('other');
    terms.most = null;
    allowance.rest();
    terms.most = 100;
    expect(allowance.restMs).to.equal(0);
  });
});

describe('[WS-AUTH-12] the room that the others leave', () => {
  it('is what is not used up, where there are none', () => {
    const { allowance, terms } = world();
    terms.usedUp = 3;
    expect(allowance.room(1, false)).to.equal(97);
    terms.most = null;
    expect(allowance.room(1, false)).to.equal(Number.POSITIVE_INFINITY);
  });

  it('is what they do not hold, or claim before it', () => {
    const { allowance, hear } = world('a', 'b', 'c');
    for (const gatewayId of ['a', 'b', 'c']) allowance.holdings.answered(gatewayId);
    hear('a', { held: 10 });
    hear('b', { held: 10, claim: { number: 1, upTo: 30 } }, 4);
    hear('c', { held: 10, claim: { number: 1, upTo: 30 } }, 6);
    expect(allowance.room(5, false)).to.equal(100 - 10 - 30 - 10);
  });

  it('is not known before all who take leases have answered, unless it is assumed', () => {
    const { allowance, hear } = world('a', 'b');
    allowance.holdings.answered('a');
    hear('a', { held: 10 });
    expect(allowance.room(5, false)).to.equal(undefined);
    // What it was last known to use.
    expect(allowance.room(5, true)).to.equal(100 - 10 - 1);
    hear('b', { held: 20 });
    expect(allowance.room(5, false)).to.equal(undefined);
    expect(allowance.room(5, true)).to.equal(100 - 10 - 20);
  });

  it('is what gateways of earlier versions do not use, which take no leases', () => {
    const { allowance } = world('a', 'former');
    expect(allowance.leasing()).to.eql(['a']);
    allowance.holdings.started('a');
    expect(allowance.room(5, false)).to.equal(100 - 7);
  });

  it('is that of a gateway that has gone too', () => {
    const { allowance, hear } = world('a');
    allowance.holdings.answered('a');
    hear('a', { held: 10 });
    allowance.lost('a');
    expect(allowance.room(5, false)).to.equal(undefined);
  });
});
