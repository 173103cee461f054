import { expect } from 'chai';
import { MongoClient, type Document } from 'mongodb';
import { at, putRoom, rejectionOf } from '@roomwire/testing/contracts/view-store/storeUnderTest';
import { eventually } from '@roomwire/testing/run/eventually';
import { viewsVersion, type Cascade } from '../../../src/wire/views/views.js';
import { StaleBatch } from '../../../src/ports/errors.js';
import type { ViewStore } from '../../../src/ports/viewStore.js';
import { mongoStores, type MongoStores } from './mongoStores.js';
import { mongoUrl, type TestDatabase } from './mongoTestDatabase.js';

const count = 1_000;

const cascade: Cascade = {
  ...{ deletedId: 'gone', organizationId: 'o', owner: 'appId', views: ['grants', 'rooms'] },
  ...{ removed: 0, createdPosition: at(2) },
};

describe('the MongoDB view store, with cascades', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let open: MongoStores['open'];
  let close: MongoStores['close'];
  const unaborted = new AbortController().signal;

  before(() => void mongoUrl());
  beforeEach(async () => void ({ database, open, close } = await mongoStores()));
  afterEach(() => close());

  const withDeletedApp = async (): Promise<ViewStore> => {
    const store = await open();
    const rooms = Array.from({ length: count }, (_, n) => putRoom(`r${n}`, { appId: 'gone' }));
    await store.apply({ changes: [...rooms, putRoom('kept')], position: at(1) });
    const put = { put: 'cascades', id: cascade.deletedId, doc: cascade } as const;
    await store.apply({ changes: [put], position: at(2) });
    return store;
  };

  const stored = async (): Promise<Document[]> => {
    const client = await new MongoClient(database.url).connect();
    const found = await client.db(database.name).collection(`v${viewsVersion}_rooms`).find().toArray();
    await client.close();
    return found;
  };
  const removedIn = (rooms: readonly Document[]): Map<string, number> =>
    new Map(
      rooms
        .filter((room) => room['_removedAt'] !== undefined)
        .map((room) => [String(room['_id']), room['_term'] as number]),
    );

  it('leave to a successor what is not done yet, and nothing else', async () => {
    const first = await withDeletedApp();
    const interrupted = new AbortController();
    const sweeping = first.sweep(cascade, interrupted.signal);
    await eventually(async () => (await first.count('rooms', {})) < count - 100, { withinMs: 30_000 });
    interrupted.abort();
    await sweeping;
    const before = removedIn(await stored());
    expect(before.size).to.be.within(100, count - 1);

    const second = await open();
    await second.sweep(cascade, unaborted);
    const after = removedIn(await stored());
    expect(after.size).to.equal(count);
    for (const [id, term] of before) expect(after.get(id), id).to.equal(term);
    expect(new Set(after.values()).size).to.equal(2);
    expect(await second.count('rooms', {})).to.equal(1);
    expect(await second.count('cascades', {})).to.equal(0);
  });

  it('are swept by the projector that leads alone', async () => {
    const first = await withDeletedApp();
    const second = await open();
    await second.apply({ changes: [], position: at(3) });
    expect(await rejectionOf(first.sweep(cascade, unaborted))).to.be.instanceOf(StaleBatch);
    expect(await rejectionOf(first.apply({ changes: [], position: at(4) }))).to.be.instanceOf(StaleBatch);
    await second.sweep(cascade, unaborted);
    await second.apply({ changes: [], position: at(5) });
    expect(await second.checkpoint()).to.equal(at(5));
  });

  it('end for the former leader in the middle of a sweep', async () => {
    const first = await withDeletedApp();
    const outcome = rejectionOf(first.sweep(cascade, unaborted));
    await eventually(async () => (await first.count('rooms', {})) < count, { withinMs: 30_000 });
    const second = await open();
    await second.apply({ changes: [], position: at(3) });
    expect(await outcome).to.be.instanceOf(StaleBatch);
    expect(await second.count('cascades', {})).to.equal(1);
  });

  it('leave tombstones that no query for what is left looks at', async () => {
    const store = await withDeletedApp();
    await store.sweep(cascade, unaborted);
    const rooms = await stored();
    expect(rooms.filter((room) => room['appId'] === 'gone')).to.have.length(0);
    expect(removedIn(rooms).size).to.equal(count);
  });

  it('show standbys that they move', async () => {
    const store = await withDeletedApp();
    const sweeping = store.sweep(cascade, unaborted);
    await eventually(async () => ((await store.get('cascades', 'gone'))?.removed ?? 0) > 0);
    await sweeping;
  });
});
