import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { seededChance, type SeededChance } from '@roomwire/testing/run/seededChance';
import type { LeaseOutcome } from '../../src/limits/leaseTerms.js';
import { LeaseWorld, type LeaseNode } from '../support/leaseNode.js';

const rounds = 50;
const pair = async (world: LeaseWorld): Promise<readonly [LeaseNode, LeaseNode]> => [
  await world.start(),
  await world.start(),
];

describe('leases', () => {
  it('[WS-AUTH-12] admit up to the limit, one after the other, on whatever gateway', async () => {
    const world = new LeaseWorld(2);
    const gateways = await pair(world);
    for (let round = 0; round < rounds; round++) {
      const [first, second] = round % 2 === 0 ? gateways : [...gateways].reverse();
      const asked = [first, second, first, second] as readonly LeaseNode[];
      const outcomes: LeaseOutcome[] = [];
      for (const gateway of asked) outcomes.push(await world.take(gateway));
      expect(outcomes, `round ${round}`).to.eql(['taken', 'taken', 'full', 'full']);
      for (const gateway of gateways) gateway.used = 0;
    }
  });

  it('[WS-AUTH-12] give a place that is free on one gateway to another at once', async () => {
    const world = new LeaseWorld(7);
    const [near, far] = await pair(world);
    for (let n = 0; n < 7; n++) expect(await world.take(near)).to.equal('taken');
    for (let n = 0; n < 7; n++) {
      expect(await world.take(far)).to.equal('full');
      near.used--;
      expect(await world.take(far)).to.equal('taken');
    }
    expect(world.used).to.equal(7);
  });

  it('[WS-AUTH-12] give the last place to exactly one of many that ask at once', async () => {
    for (let seed = 1; seed <= rounds; seed++) {
      const world = new LeaseWorld(3);
      const chance = seededChance(seed);
      const gateways = await world.startAll(3);
      for (const gateway of gateways.slice(1)) await world.take(gateway);
      const asked = Array.from({ length: 6 }, async () => chance.oneOf(gateways).take());
      await world.settle(() => chance.below(1_000));
      const outcomes = await Promise.all(asked);
      expect(
        outcomes.filter((outcome) => outcome === 'taken'),
        `seed ${seed}`,
      ).to.have.length(1);
      expect(
        outcomes.filter((outcome) => outcome === 'full'),
        `seed ${seed}`,
      ).to.have.length(5);
    }
  });

  /** One thing that happens to some gateway. */
  const happen = async (world: LeaseWorld, chance: SeededChance): Promise<void> => {
    const gateway = chance.oneOf(world.nodes);
    const what = chance.below(10);
    if (what < 3) void gateway.take();
    else if (what < 5) gateway.used = Math.max(0, gateway.used - 1);
    else if (what < 6) gateway.beat();
    else world.bus.move(chance.below(1_000));
    await turn();
  };

  it('[WS-AUTH-12] never exceed the limit, and use it up, whatever order things happen in', async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const chance = seededChance(seed);
      const most = chance.below(12) + 1;
      const world = new LeaseWorld(most);
      await world.startAll(2 + chance.below(2));
      let late: LeaseNode | undefined;
      for (let step = 0; step < 200; step++) {
        if (step === 80) late = await world.begin();
        if (step === 120) await world.beat();
        if (step === 120) late?.isReady();
        await happen(world, chance);
        expect(world.used, `seed ${seed}, step ${step}`).to.be.at.most(most);
      }
      await world.settle(() => chance.below(1_000));
      for (let free = most - world.used; free >= 0; free--)
        expect(await world.take(chance.oneOf(world.nodes)), `seed ${seed}`).to.equal(
          free > 0 ? 'taken' : 'full',
        );
    }
  }).timeout(20_000);

  it('[WS-AUTH-12] cost nothing far from the limit: hardly anything is said, and only the first wait', async () => {
    const world = new LeaseWorld(100_000);
    const gateways = await pair(world);
    // The first on a gateway asks the others, who give back what they hold in advance.
    for (const gateway of [...gateways, ...gateways]) await world.take(gateway);
    const before = world.said.length;
    let waited = 0;
    for (let n = 0; n < 20_000; n++) {
      const outcome = (gateways[n % 2] as LeaseNode).take();
      if (outcome !== 'taken') waited++;
      // What is claimed in advance has time to come back.
      if (n % 100 === 0) await world.settle();
    }
    expect(waited).to.equal(0);
    expect(world.said.length - before).to.be.at.most(20);
  });

  it('[WS-AUTH-12] use up a large limit, and no more', async () => {
    const world = new LeaseWorld(1_000);
    const gateways = await world.startAll(3);
    const outcomes: LeaseOutcome[] = [];
    for (let n = 0; n < 1_010; n++) outcomes.push(await world.take(gateways[n % 3] as LeaseNode));
    expect(outcomes.slice(0, 1_000).every((outcome) => outcome === 'taken')).to.equal(true);
    expect(outcomes.slice(1_000).every((outcome) => outcome === 'full')).to.equal(true);
  });

  it('say little however many are refused', async () => {
    const world = new LeaseWorld(5, { restMs: 30 });
    const [near, far] = await pair(world);
    for (let n = 0; n < 5; n++) await world.take(near);
    const before = world.said.length;
    const asked = Array.from({ length: 1_000 }, async () => far.take());
    const all = Promise.all(asked);
    let isOver = false;
    void all.then(() => (isOver = true));
    while (!isOver) await world.settle();
    expect(new Set(await all)).to.eql(new Set(['full']));
    // Two claims: of the first that came, and of all who came while it was decided.
    expect(world.said.length - before).to.be.at.most(8);
    // The gateway that has them all asks nobody.
    expect(near.take()).to.equal('full');
  });

  it('[WS-PUB-9] refuse at once for a while after a refusal what is not freed again', async () => {
    const world = new LeaseWorld(1, { restMs: 100 });
    const [near, far] = await pair(world);
    near.isFreedAgain = far.isFreedAgain = false;
    await world.take(near);
    expect(await world.take(far)).to.equal('full');
    const before = world.said.length;
    expect(far.take()).to.equal('full');
    world.limit.most = 2;
    expect(await world.take(far)).to.equal('taken');
    world.limit.most = 3;
    await world.take(near);
    expect(await world.take(far)).to.equal('full');
    expect(world.said.length).to.be.greaterThan(before);
    // The bus has refused what the other one was about to use.
    near.used--;
    expect(far.take()).to.equal('full');
    world.clock.pass(100);
    expect(await world.take(far)).to.equal('taken');
  });

  it('wait until a gateway that has started knows the others', async () => {
    const world = new LeaseWorld(1);
    const first = await world.start();
    expect(await world.take(first)).to.equal('taken');
    const late = await world.begin();
    const outcome = late.take();
    expect(outcome).to.be.a('promise');
    await world.settle();
    await world.beat();
    late.isReady();
    await world.settle();
    expect(await outcome).to.equal('full');
  });

  it('need no bus while a gateway is alone', async () => {
    const world = new LeaseWorld(2);
    const alone = await world.start();
    alone.port.cut = 'refused';
    expect([alone.take(), alone.take(), alone.take()]).to.eql(['taken', 'taken', 'full']);
    expect(world.said).to.eql([]);
  });

  it('are unavailable while the bus is, and afterwards are what they were', async () => {
    for (const cut of ['refused', 'stored, and refused'] as const) {
      const world = new LeaseWorld(2);
      const [near, far] = await pair(world);
      await world.take(near);
      far.port.cut = cut;
      expect(await world.take(far)).to.equal('unavailable');
      far.port.cut = 'no';
      await world.beat();
      await world.beat();
      expect(await world.take(near)).to.equal('taken');
      expect(await world.take(far)).to.equal('full');
      near.used = 0;
      expect(await world.take(far)).to.equal('taken');
    }
  });

  it('are unavailable when the bus does not bring back what was said', async () => {
    const world = new LeaseWorld(2, { returnMs: 20 });
    const [near, far] = await pair(world);
    await world.take(near);
    far.port.isFrozen = true;
    expect(await far.take()).to.equal('unavailable');
    far.port.isFrozen = false;
    await world.beat();
    expect(await world.take(near)).to.equal('taken');
    expect(await world.take(far)).to.equal('full');
  });

  const silence = async (world: LeaseWorld): Promise<void> => {
    for (let second = 0; second < 16; second++) {
      world.clock.pass(1_000);
      await world.beat();
    }
  };

  it('count what a killed gateway held until it is known to be dead', async () => {
    const world = new LeaseWorld(2, { answerMs: 20 });
    const [near, far] = await pair(world);
    await world.take(near);
    await world.take(near);
    expect(await world.take(far)).to.equal('full');
    near.used--;
    await near.port.close();
    near.port.isFrozen = true;
    const outcome = far.take();
    await world.settle();
    expect(await outcome).to.equal('full');
    near.used = 0;
    await silence(world);
    expect(await world.take(far)).to.equal('taken');
    expect(await world.take(far)).to.equal('taken');
    expect(await world.take(far)).to.equal('full');
  });

  it('are void for a gateway that was stopped for as long as makes others believe that it is dead', async () => {
    for (const isUnderWay of [false, true]) {
      const world = new LeaseWorld(10, { returnMs: 2_000, answerMs: 1_000 });
      const [near, far] = await pair(world);
      expect(await world.take(near)).to.equal('taken');
      // It holds more than it uses.
      expect(near.take()).to.equal('taken');
      if (!isUnderWay) await world.settle();
      near.port.isFrozen = true;
      await silence(world);
      for (let n = 0; n < 10; n++) expect(await world.take(far)).to.equal('taken');
      expect(await world.take(far)).to.equal('full');
      const outcome = near.take();
      expect(outcome).to.be.a('promise');
      near.port.isFrozen = false;
      await world.settle();
      // A claim that was made before came back too late.
      expect(await outcome).to.equal(isUnderWay ? 'unavailable' : 'full');
      await world.beat();
      expect(await world.take(near)).to.equal('full');
    }
  });

  it('count for nothing when their gateway has said goodbye, and what it used up is read', async () => {
    const world = new LeaseWorld(3);
    const [near, far] = await pair(world);
    await world.take(near);
    await world.take(near);
    await world.take(far);
    near.leases.close();
    await near.peers.close();
    near.port.isFrozen = true;
    world.limit.usedUp = 1;
    await world.settle();
    expect(await world.take(far)).to.equal('taken');
    expect(await world.take(far)).to.equal('full');
  });

  it('follow the limit when it changes', async () => {
    const world = new LeaseWorld(100);
    const [near, far] = await pair(world);
    expect(await world.take(near)).to.equal('taken');
    expect(await world.take(far)).to.equal('taken');
    world.limit.most = 2;
    expect(await world.take(near)).to.equal('full');
    expect(await world.take(far)).to.equal('full');
    world.limit.most = 3;
    expect(await world.take(far)).to.equal('taken');
    expect(await world.take(near)).to.equal('full');
    world.limit.most = null;
    expect(near.take()).to.equal('taken');
  });

  it('leave to gateways of earlier versions what these last reported', async () => {
    const world = new LeaseWorld(3);
    const former = await world.start(true);
    former.used = 1;
    const [near, far] = await pair(world);
    expect(await world.take(near)).to.equal('taken');
    expect(await world.take(far)).to.equal('taken');
    expect(await world.take(near)).to.equal('full');
    former.used = 0;
    await world.beat();
    expect(await world.take(near)).to.equal('taken');
  });

  it('are given back and forgotten when they are not used', async () => {
    const world = new LeaseWorld(100);
    const [near, far] = await pair(world);
    await world.take(near);
    near.used = 0;
    expect(near.leases.heldBy(far.gatewayId, 'connections/o')).to.equal(0);
    for (let beat = 0; beat < 25; beat++) await world.beat();
    expect(near.leases.heldBy(far.gatewayId, 'connections/o')).to.equal(undefined);
    expect(world.said.at(-1)).to.eql({ key: 'connections/o', held: 0 });
  });
});
