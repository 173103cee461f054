import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { viewsVersion, type Views } from '../../../src/wire/views/views.js';
import { EngineUnavailable, RebuildSuperseded } from '../../../src/ports/errors.js';
import type { ViewRebuild } from '../../../src/ports/viewStore.js';
import { at, putRoom, rejectionOf } from '@roomwire/testing/contracts/view-store/storeUnderTest';
import type { Link } from './mongoLink.js';
import { allRooms, batchOf, project, undisturbedRooms } from './mongoSampleLog.js';
import { mongoStores, type MongoStores } from './mongoStores.js';
import { mongoUrl, type TestDatabase } from './mongoTestDatabase.js';

describe('the MongoDB view store, during a rebuild', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let link: Link;
  let open: MongoStores['open'];
  let close: MongoStores['close'];

  before(() => void mongoUrl());
  beforeEach(async () => void ({ database, link, open, close } = await mongoStores()));
  afterEach(() => close());
  const build = async (rebuild: ViewRebuild, from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n += 100) await rebuild.apply(batchOf(n, Math.min(to, n + 100)));
  };
  const names = async (): Promise<readonly string[]> => {
    const client = await new MongoClient(database.url).connect();
    const found = await client.db(database.name).listCollections().toArray();
    await client.close();
    return found.map(({ name }) => name).filter((name) => name.endsWith('_rooms'));
  };
  const expected = (to: number): Promise<Views['rooms'][]> => undisturbedRooms(to);

  for (const bytes of [15_000, 40_000, 65_000])
    it(`has in both generations the pending writes of a projector at the switch, ${bytes} bytes of them`, async () => {
      const [projector, reader, rebuilding] = [await open(link.url), await open(), await open()];
      await project(projector, 500);
      expect(await allRooms(reader)).to.deep.equal(await expected(500));
      const rebuild = await rebuilding.rebuild();
      await build(rebuild, 0, 500);
      const isFrozen = link.freezeAfter(bytes);
      const outcome = projector.apply(batchOf(500, 1_000));
      await isFrozen;
      const isLive = await rebuild.takeOver([]);
      link.thaw();
      await outcome;
      expect(isLive).to.equal(true);
      expect(await reader.reached(at(1_000), 5_000)).to.equal(true);
      for (const store of [rebuilding, reader, await open()])
        expect(await allRooms(store)).to.deep.equal(await expected(1_000));
    });

  it('switches although a faster projector never pauses', async () => {
    const [projector, rebuilding] = [await open(), await open()];
    await projector.apply({ changes: [putRoom('planted')], position: at(1) });
    let [position, isOver] = [1, false];
    let applied: () => void = () => undefined;
    const nextBatch = () => new Promise<void>((resolve) => (applied = resolve));
    const writing = (async () => {
      for (; !isOver; position += 1) {
        await projector.apply(batchOf(position, position + 1));
        applied();
      }
    })();
    const rebuild = await rebuilding.rebuild();
    let built = 0;
    let isLive = false;
    for (let tries = 0; tries < 20 && !isLive; tries += 1) {
      const target = Number(await rebuilding.checkpoint());
      if (target > built) await build(rebuild, built, target);
      built = target;
      // Only a projector that waits lets it keep up.
      await Promise.race([pause(300), nextBatch()]);
      isLive = await rebuild.takeOver([]);
    }
    isOver = true;
    await writing;
    expect(isLive).to.equal(true);
    expect(await allRooms(await open())).to.deep.equal(await expected(position));
  });

  it('writes in parts when there is much, and repeats what failed', async () => {
    const [projector, rebuilding] = [await open(), await open(link.url)];
    const filler = 'x'.repeat(200_000);
    const large = (n: number) => ({
      changes: [putRoom(`large${n}`, { metadata: { filler } })],
      position: at(n),
    });
    await projector.apply({ changes: [], position: at(50) });
    const rebuild = await rebuilding.rebuild();
    const isFrozen = link.freezeAfter(2_000_000);
    let n = 1;
    for (; n <= 41; n += 1) await rebuild.apply(large(n));
    // Forty of them are on their way.
    await isFrozen;
    await link.cut();
    link.thaw();
    await link.mend();
    const failures: unknown[] = [];
    // As a rebuild does, until the driver has found its server again.
    const again = async (error: unknown): Promise<false> => {
      failures.push(error);
      if (failures.length === 50) throw error;
      await pause(100);
      return false;
    };
    while (n <= 50) if (await rebuild.apply(large(n)).then(() => true, again)) n += 1;
    while (!(await rebuild.takeOver([]).catch(again)));
    expect(failures).to.not.be.empty;
    for (const error of failures) expect(error).to.be.instanceOf(EngineUnavailable);
    const reader = await open();
    for (let made = 1; made <= 50; made += 1)
      expect((await reader.get('rooms', `large${made}`))?.metadata['filler'], `large${made}`).to.equal(
        filler,
      );
  });

  it('does not switch after a projector has waited in vain and continued', async () => {
    const [projector, rebuilding] = [await open(), await open(link.url)];
    await project(projector, 200);
    const rebuild = await rebuilding.rebuild();
    await build(rebuild, 0, 300);
    // All that it has gathered is written with that.
    expect(await rebuild.takeOver([])).to.equal(false);
    await projector.apply(batchOf(200, 300));
    // The projector is told to wait, and the rebuild sends nothing more.
    const isFrozen = link.freezeAfter(1);
    const outcome = rebuild.takeOver([]);
    await isFrozen;
    await projector.apply(batchOf(300, 400));
    link.thaw();
    expect(await outcome).to.equal(false);
    expect(await allRooms(await open())).to.deep.equal(await expected(400));
    await build(rebuild, 300, 400);
    expect(await rebuild.takeOver([])).to.equal(true);
    expect(await allRooms(await open())).to.deep.equal(await expected(400));
  });

  it('lets readers that do not know of it see everything, until it drops the old generation', async () => {
    const [projector, reader] = [await open(), await open()];
    await project(projector, 300);
    const rebuild = await projector.rebuild();
    await build(rebuild, 0, 300);
    expect(await rebuild.takeOver([])).to.equal(true);
    const from = performance.now();
    let to = 300;
    while ((await names()).length > 1) {
      expect(performance.now() - from).to.be.lessThan(40_000);
      to += 5;
      await projector.apply(batchOf(to - 5, to));
      expect(await allRooms(reader)).to.deep.equal(await expected(to));
    }
    expect(performance.now() - from).to.be.greaterThan(14_000);
    expect(await names()).to.eql([`v${viewsVersion}_g1_rooms`]);
  });

  it('is not reset by pending writes of another builder, which was suspended', async () => {
    const [projector, frozen, other] = [await open(), await open(link.url), await open()];
    await project(projector, 600);
    const late = await frozen.rebuild();
    const isFrozen = link.freezeAfter(20_000);
    const outcome = rejectionOf(build(late, 0, 600).then(() => late.takeOver([])));
    await isFrozen;
    const rebuild = await other.rebuild();
    await build(rebuild, 0, 600);
    expect(await rebuild.takeOver([])).to.equal(true);
    link.thaw();
    const error = await outcome;
    if (!(error instanceof RebuildSuperseded))
      expect(await rejectionOf(late.takeOver([]))).to.be.instanceOf(RebuildSuperseded);
    await late.abandon();
    expect(await allRooms(await open())).to.deep.equal(await expected(600));
    expect(await names()).to.have.members([`v${viewsVersion}_rooms`, `v${viewsVersion}_g2_rooms`]);
  });
});
