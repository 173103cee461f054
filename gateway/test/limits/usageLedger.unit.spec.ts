import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedViewStores } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import type { ViewStores } from '@roomwire/shared/ports/viewStore';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { seededChance } from '@roomwire/testing/run/seededChance';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { type Asked, type LedgerNode, LedgerWorld, type Manner } from '../support/ledgerWorld.js';

describe('usage ledgers', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let stores: ViewStores & { close(): Promise<void> };
  let projects = 0;

  before(async () => {
    folder = await temporaryFolder();
    stores = await openEmbeddedViewStores({ file: (name) => join(folder.path, name) });
  });
  after(async () => {
    await stores.close();
    await folder.remove();
  });

  const worldWith = (quota: number | null): LedgerWorld =>
    new LedgerWorld(stores.usage, new ManualClock(), { projectId: `p${++projects}`, quota });

  /** What one of them has stored, as the store says. */
  const storedOf = async ({ usage: { projectId, month, writer } }: LedgerNode): Promise<number> =>
    (await stores.usage.usageByWriter([projectId], month)).get(projectId)?.get(writer) ?? 0;

  /** A second in which each of them publishes. */
  const second = async (world: LedgerWorld, messages: number): Promise<void> => {
    await Promise.all([...world.nodes.values()].map((node) => node.publish(messages)));
    await world.tick();
  };

  /** What each asks of the store in half a minute, long after they have started. */
  const askedBy = async (world: LedgerWorld, messages: number): Promise<readonly Asked[]> => {
    for (let n = 0; n < 12; n++) await second(world, messages);
    const nodes = [...world.nodes.values()];
    for (const { asked } of nodes) asked.reads = asked.writes = 0;
    for (let n = 0; n < 30; n++) await second(world, messages);
    return nodes.map(({ asked }) => asked);
  };

  const quota = 10_000;

  for (const gateways of [2, 10, 50])
    it(`[WS-PUB-9] write once a second and read once in half a minute, as one of ${gateways}`, async () => {
      const world = worldWith(quota);
      world.startAll(gateways);
      for (const asked of await askedBy(world, 10)) expect(asked).to.eql({ writes: 30, reads: 1 });
      expect(await world.stored()).to.equal(42 * 10 * gateways);
    }).timeout(60_000);

  it('[WS-PUB-9] store what is less than a thousandth of the quota every third second', async () => {
    const world = worldWith(quota);
    world.startAll(2);
    for (const asked of await askedBy(world, 3)) expect(asked).to.eql({ writes: 10, reads: 1 });
    await world.tick(3);
    expect(await world.stored()).to.equal(42 * 3 * 2);
  });

  it('[WS-PUB-9] store every third second what has no quota, and read nothing', async () => {
    const world = worldWith(null);
    world.startAll(2);
    for (const asked of await askedBy(world, 100)) expect(asked).to.eql({ writes: 10, reads: 0 });
  });

  it('[WS-PUB-9] write and read every second beside a gateway that goes by what is stored', async () => {
    const world = worldWith(quota);
    const [former, near] = world.startAll(2) as readonly [LedgerNode, LedgerNode];
    former.takesLeases = false;
    const [, asked] = await askedBy(world, 1);
    expect(asked).to.eql({ writes: 30, reads: 30 });
    expect(near.usage.usedBy(former.gatewayId)).to.be.at.least(41 - 3);
  });

  it('[WS-PUB-9] ask for nothing where nothing is published', async () => {
    const world = worldWith(quota);
    const [node] = world.startAll(2) as readonly [LedgerNode];
    await second(world, 1);
    await world.tick(40);
    const before = { ...node.asked };
    await world.tick(200);
    expect(node.asked).to.eql(before);
  });

  it('[WS-PUB-9] look for what a gateway that is gone stores late, and know it before the next decision', async () => {
    const world = worldWith(quota);
    const [near, far] = world.startAll(2) as readonly [LedgerNode, LedgerNode];
    for (let n = 0; n < 20; n++) await second(world, 10);
    await far.publish(50);
    world.gone(far);
    expect(near.usage.usedUp).to.be.at.most(200);
    await far.ledger.storeAll();
    // As its lease does.
    await near.usage.read();
    expect(near.usage.usedUp).to.equal(250);
    await far.publish(7);
    await far.ledger.close();
    await second(world, 10);
    expect(near.usage.usedUp).to.equal(257);
    expect(near.usage.used + near.usage.usedUp).to.equal(await world.stored());
  });

  it('[WS-PUB-9] read again until the store has answered', async () => {
    const world = worldWith(quota);
    const [near, far] = world.startAll(2) as readonly [LedgerNode, LedgerNode];
    for (let n = 0; n < 12; n++) await second(world, 10);
    world.gone(far);
    await far.ledger.close();
    world.manner = () => 'refuses';
    await near.usage.read();
    await world.tick(60);
    world.manner = () => 'answers';
    await world.tick();
    expect(near.usage.usedUp).to.equal(120);
  });

  it('[WS-PUB-9] know of the others what is half a minute old at most', async () => {
    const world = worldWith(quota);
    const [near, far] = world.startAll(2) as readonly [LedgerNode, LedgerNode];
    for (let n = 0; n < 70; n++) {
      await second(world, 10);
      expect(near.usage.usedBy(far.gatewayId)).to.be.at.least(10 * (n - 31));
    }
  });

  it('[WS-PUB-9] count once what they have written and read again', async () => {
    const world = worldWith(quota);
    const node = world.start();
    for (let n = 1; n <= 4; n++) {
      await node.publish(10);
      await world.tick();
      await node.usage.read();
      expect(node.usage.used + node.usage.usedUp).to.equal(10 * n);
    }
  });

  it('[WS-PUB-9] let nothing wait at the end: what is stored is complete before the goodbye', async () => {
    const world = worldWith(null);
    const node = world.start();
    await node.publish();
    await world.tick();
    await node.publish();
    await world.tick();
    expect(await world.stored()).to.equal(1);
    await node.ledger.storeAll();
    expect(await world.stored()).to.equal(2);
  });

  it('[WS-PUB-9] store each message once, whatever gateways and the store do', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const chance = seededChance(seed);
      const world = worldWith(chance.below(2) === 0 ? null : 100 * (1 + chance.below(1_000)));
      const manners: readonly Manner[] = ['answers', 'answers', 'refuses', 'loses the answer'];
      world.startAll(3);
      let published = 0;
      let lost = 0;
      const kill = async (node: LedgerNode): Promise<void> => {
        world.gone(node);
        lost += node.usage.accepted - (await storedOf(node));
        world.start();
      };
      const stop = async (node: LedgerNode): Promise<void> => {
        world.manner = () => chance.oneOf(['answers', 'loses the answer']);
        world.gone(node);
        await node.ledger.storeAll();
        await node.ledger.close();
        world.start();
      };
      for (let step = 0; step < 80; step++) {
        const node = chance.oneOf([...world.nodes.values()]);
        const what = chance.below(12);
        world.manner = () => chance.oneOf(manners);
        if (what < 7) {
          const messages = chance.below(5);
          await node.publish(messages);
          published += messages;
        } else if (what < 10) await world.tick();
        else await (what === 10 ? stop(node) : kill(node));
        expect(await world.stored(), `seed ${seed}, step ${step}`).to.be.at.most(published - lost);
      }
      world.manner = () => 'answers';
      await world.tick(3);
      expect(await world.stored(), `seed ${seed}`).to.equal(published - lost);
      const usages = [...world.nodes.values()].map(({ usage }) => usage);
      const live = usages.reduce((sum, { accepted }) => sum + accepted, 0);
      for (const usage of usages.filter(({ most }) => most !== null)) {
        await usage.read();
        expect(usage.usedUp, `seed ${seed}`).to.equal(published - lost - live);
      }
    }
  }).timeout(60_000);
});
