import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { viewsVersion, type Views } from '../../../src/wire/views/views.js';
import { EngineUnavailable, StaleBatch } from '../../../src/ports/errors.js';
import { at, matchingIds, putRoom, rejectionOf } from '@roomwire/testing/contracts/view-store/storeUnderTest';
import type { Link } from './mongoLink.js';
import { allRooms, batchOf, project, undisturbedRooms } from './mongoSampleLog.js';
import { mongoStores, type MongoStores } from './mongoStores.js';
import { mongoUrl, type TestDatabase } from './mongoTestDatabase.js';

const projectorProcess = fileURLToPath(new URL('./mongoProjectorProcess.js', import.meta.url));
const lastEvent = 1_500;

describe('the MongoDB view store, with projectors that end or compete', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let link: Link;
  let open: MongoStores['open'];
  let close: MongoStores['close'];
  let expected: Views['rooms'][];

  before(async () => {
    mongoUrl();
    expected = await undisturbedRooms(lastEvent);
  });
  beforeEach(async () => void ({ database, link, open, close } = await mongoStores()));
  afterEach(() => close());

  it('has the documents of an undisturbed run after any number of kills', async () => {
    const { url, name } = database;
    let kills = 0;
    for (let isDone = false; !isDone;) {
      const child = fork(projectorProcess, [url, name, String(lastEvent)]);
      const ended = once(child, 'exit');
      await once(child, 'message');
      child.on('message', () => (isDone = true));
      // A little longer each time, so that it comes to an end on a slow machine too.
      await Promise.race([ended, pause(80 + kills * 60)]);
      if (child.kill('SIGKILL')) kills += 1;
      await ended;
    }
    const store = await open();
    expect(kills).to.be.greaterThan(3);
    expect(await store.checkpoint()).to.equal(at(lastEvent));
    expect(await allRooms(store)).to.deep.equal(expected);
  });

  it('refuses a projector that is behind, without a change', async () => {
    const [earlier, later] = [await open(), await open()];
    await earlier.apply({ changes: [putRoom('r1')], position: at(1) });
    await later.apply({ changes: [putRoom('r2')], position: at(9) });
    for (const position of [at(5), at(9), at(12)]) {
      const late = earlier.apply({ changes: [putRoom('late')], position });
      if (position !== at(12)) expect(await rejectionOf(late)).to.be.instanceOf(StaleBatch);
      else await late;
    }
    expect(await matchingIds(later, {})).to.deep.equal(['late', 'r1', 'r2']);
    expect(await rejectionOf(later.apply({ changes: [], position: at(13) }))).to.be.instanceOf(StaleBatch);
    expect(await later.checkpoint()).to.equal(at(12));
  });

  it('refuses the first batch of a projector that was suspended while another one began again', async () => {
    const [suspended, other] = [await open(), await open()];
    await other.apply({ changes: [putRoom('r1')], position: at(9) });
    await other.clear();
    await other.apply({ changes: [putRoom('r1')], position: at(1) });
    const late = { changes: [putRoom('late')], position: at(12), after: at(9) };
    expect(await rejectionOf(suspended.apply(late))).to.be.instanceOf(StaleBatch);
    await other.apply({ changes: [putRoom('r2')], position: at(2), after: at(1) });
    expect(await matchingIds(other, {})).to.deep.equal(['r1', 'r2']);
  });

  it('refuses a projector that continues from what the database no longer has', async () => {
    const store = await open();
    const late = { changes: [putRoom('late')], position: at(12), after: at(9) };
    expect(await rejectionOf(store.apply(late))).to.be.instanceOf(StaleBatch);
    expect(await store.checkpoint()).to.equal(undefined);
    expect(await matchingIds(store, {})).to.deep.equal([]);
  });

  it('lets nothing go ahead of a projector that has lost the lead, or has not had it', async () => {
    const [earlier, later] = [await open(), await open()];
    const disable = { patch: 'rooms', id: 'r', set: { status: 'disabled' } } as const;
    await earlier.apply({ changes: [putRoom('r')], position: at(1) });
    expect(await later.applyAhead([disable])).to.equal(false);
    await later.apply({ changes: [putRoom('r', { name: 'later' })], position: at(2) });
    expect(await earlier.applyAhead([disable])).to.equal(false);
    expect(await later.get('rooms', 'r')).to.include({ name: 'later', status: 'active' });
    expect(await later.applyAhead([disable])).to.equal(true);
    expect(await earlier.get('rooms', 'r')).to.include({ status: 'disabled' });
  });

  it('keeps one of several that start at the same time', async () => {
    const rivals = await Promise.all([open(), open(), open(), open()]);
    const outcomes = await Promise.allSettled(rivals.map((store) => project(store, 400, 20)));
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).to.be.instanceOf(StaleBatch);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length.greaterThan(0);
    expect(await allRooms(rivals[0])).to.deep.equal(await undisturbedRooms(400));
  });

  for (const bytes of [15_000, 40_000, 65_000])
    it(`is not reset by pending writes of a projector that was suspended after ${bytes} bytes`, async () => {
      const [frozen, other] = [await open(link.url), await open()];
      await project(frozen, 500);
      const isFrozen = link.freezeAfter(bytes);
      const outcome = rejectionOf(frozen.apply(batchOf(500, 1_000)));
      await isFrozen;
      await project(other, lastEvent, 700);
      link.thaw();
      // When it was frozen for so long that it gave up waiting, it hears of the other one as it tries again.
      const first = await outcome;
      const then = await rejectionOf(frozen.apply(batchOf(500, 1_000)));
      expect(first instanceof EngineUnavailable ? then : first).to.be.instanceOf(StaleBatch);
      expect(await other.checkpoint()).to.equal(at(lastEvent));
      expect(await allRooms(other)).to.deep.equal(expected);
    });

  it('completes an interrupted clearing', async () => {
    const interrupted = await open();
    await interrupted.apply({ changes: [putRoom('old')], position: at(5) });
    const client = new MongoClient(database.url);
    const progress = client.db(database.name).collection(`v${viewsVersion}_progress`);
    await progress.updateOne({}, { $set: { isClearing: true }, $unset: { position: true } });
    await client.close();
    const store = await open();
    expect(await store.checkpoint()).to.equal(undefined);
    await store.apply({ changes: [putRoom('new')], position: at(1) });
    expect(await matchingIds(store, {})).to.deep.equal(['new']);
  });
});
