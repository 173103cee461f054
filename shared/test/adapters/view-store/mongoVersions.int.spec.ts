import { expect } from 'chai';
import { MongoClient, type Db } from 'mongodb';
import { at, matchingIds, putRoom, rejectionOf } from '@roomwire/testing/contracts/view-store/storeUnderTest';
import { openMongoViewStores } from '../../../src/adapters/view-store/mongo/mongoViewStore.js';
import type { StoredReader } from '../../../src/adapters/view-store/mongo/viewCollections.js';
import { EngineUnavailable, StaleBatch } from '../../../src/ports/errors.js';
import type { LeftBehind, RegisteredReader, ViewStores } from '../../../src/ports/viewStore.js';
import { mongoUrl, testDatabase, type TestDatabase } from './mongoTestDatabase.js';

const [older, newer] = [7, 8];
const log = 'the log';
/** More than any bound. */
const many = 40;

describe('the MongoDB view store, with two versions of the read models', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let client: MongoClient;
  let mongo: Db;
  let opened: ViewStores[];
  /** Of projectors. */
  let old: ViewStores;
  let next: ViewStores;

  before(() => void mongoUrl());
  beforeEach(async () => {
    database = testDatabase();
    client = await new MongoClient(database.url).connect();
    mongo = client.db(database.name);
    opened = [];
    [old, next] = [await open(older), await open(newer)];
    await write(old, 5, 'old');
    await old.views.admitReaders(at(5));
  });
  afterEach(async () => {
    await Promise.all(opened.map((stores) => stores.close()));
    await client.close();
    await database.drop();
  });

  const open = async (version: number, reader?: RegisteredReader): Promise<ViewStores> => {
    const stores = await openMongoViewStores({ url: database.url, database: database.name, version, reader });
    opened.push(stores);
    return stores;
  };
  const readerOf = (version: number) => open(version, { name: 'gateway', isWriter: false });
  const write = ({ views }: ViewStores, position: number, roomId: string): Promise<void> =>
    views.apply({
      ...{ changes: [putRoom(roomId)], position: at(position) },
      origin: { log, position: at(position), event: `event ${position}` },
    });
  const replaceOld = async (): Promise<void> => {
    await write(next, 9, 'new');
    await next.views.admitReaders(at(9));
  };
  /** What the last look has found. */
  const look = async (
    { versions }: ViewStores,
    {
      times = many,
      before = async () => undefined,
    }: { times?: number; before?: () => Promise<unknown> } = {},
  ): Promise<readonly LeftBehind[]> => {
    let left: readonly LeftBehind[] = [];
    for (let n = 0; n < times; n += 1) {
      await before();
      left = await versions.tend({ log, head: at(9) });
    }
    return left;
  };
  const readers = () => mongo.collection<StoredReader>('viewReaders');
  const documentsOf = async (version: number): Promise<string[]> => {
    const names = (await mongo.listCollections().toArray()).map(({ name }) => name);
    return names.filter((name) => new RegExp(`^v${version}_(g\\d+_)?rooms$`).test(name));
  };

  it('has documents and a position of each', async () => {
    await replaceOld();
    expect([await old.views.checkpoint(), await next.views.checkpoint()]).to.eql([at(5), at(9)]);
    expect(await matchingIds(old.views, {})).to.eql(['old']);
    expect(await matchingIds(next.views, {})).to.eql(['new']);
  });

  it('refuses a reader that comes to what nobody writes, until it is written', async () => {
    await look(next, { times: 1 });
    const { views } = await readerOf(older);
    expect(await rejectionOf(views.find('rooms', {}))).to.be.instanceOf(EngineUnavailable);
    expect([views.isLeftBehind, await views.admitsReaders()]).to.eql([true, false]);
    // Their projector reads its own mark there, and goes on from it.
    expect(await matchingIds(old.views, {})).to.eql(['old']);
    await write(old, 9, 'late');
    expect(await matchingIds(views, {})).to.eql(['late', 'old']);
    expect([views.isLeftBehind, await views.admitsReaders()]).to.eql([false, true]);
  });

  it('refuses no reader because of another log, and drops nothing of it', async () => {
    await replaceOld();
    for (let n = 0; n < many; n += 1) await next.versions.tend({ log: 'another log', head: at(12) });
    expect(await matchingIds((await readerOf(older)).views, {})).to.eql(['old']);
  });

  it('admits readers again after the log was put back and the read models were made anew', async () => {
    await look(next, { times: 1 });
    await old.views.clear();
    await write(old, 3, 'again');
    await old.views.admitReaders(at(3));
    expect(await matchingIds((await readerOf(older)).views, {})).to.eql(['again']);
  });

  it('drops the older ones when nobody reads or writes them, once the newer ones admit readers', async () => {
    await look(next);
    expect(await matchingIds(old.views, {})).to.eql(['old']);
    await replaceOld();
    await look(next);
    expect(await old.views.admitsReaders()).to.equal(false);
    expect([await documentsOf(older), await documentsOf(newer)]).to.eql([[], [`v${newer}_rooms`]]);
    expect(await matchingIds(next.views, {})).to.eql(['new']);
  });

  it('keeps the older ones for a reader, and tells that nobody writes them, until it is silent', async () => {
    await replaceOld();
    await readers().insertOne({ _id: 'reader', version: older, name: 'gateway', beats: 0 });
    const beat = () => readers().updateOne({ _id: 'reader' }, { $inc: { beats: 1 } });
    expect(await look(next, { before: beat })).to.eql([{ version: older, readers: ['gateway'] }]);
    expect(await matchingIds(old.views, {})).to.eql(['old']);
    expect(await look(next)).to.eql([]);
    expect(await readers().countDocuments()).to.equal(0);
    await look(next);
    expect(await documentsOf(older)).to.eql([]);
  });

  it('keeps older ones that are written, be they behind', async () => {
    await replaceOld();
    let position = 500;
    const before = () => write(old, (position += 1), 'moving');
    for (let n = 0; n < many; n += 1) {
      await before();
      await next.versions.tend({ log, head: at(position + 1) });
    }
    expect(await matchingIds(old.views, {})).to.eql(['moving', 'old']);
  });

  it('keeps older ones whose readers do not register, and newer ones', async () => {
    const progress = mongo.collection(`v${older}_progress`);
    await progress.updateOne({}, { $unset: { registersReaders: true } });
    await replaceOld();
    await look(next);
    expect(await matchingIds(old.views, {})).to.eql(['old']);
    await write(old, 12, 'later');
    for (let n = 0; n < many; n += 1) await old.versions.tend({ log, head: at(12) });
    expect(await matchingIds(next.views, {})).to.eql(['new']);
  });

  it('lets a projector make older ones anew that were set aside, and drops nothing of that', async () => {
    await replaceOld();
    await look(next, { times: 17 });
    expect(await rejectionOf(write(old, 9, 'late'))).to.be.instanceOf(StaleBatch);
    expect(await rejectionOf(write(await open(older), 9, 'late'))).to.be.instanceOf(StaleBatch);
    await old.views.clear();
    await write(old, 9, 'anew');
    await old.views.admitReaders(at(9));
    await look(next);
    expect(await matchingIds(old.views, {})).to.eql(['anew']);
    expect(await documentsOf(older)).to.eql([`v${older}_g1_rooms`]);
  });

  it('counts a reader from when it has opened the store until it has closed it', async () => {
    const stores = await readerOf(older);
    const found = await readers().find().toArray();
    expect(found.map(({ version, name }) => ({ version, name }))).to.eql([
      { version: older, name: 'gateway' },
    ]);
    await stores.close();
    expect(await readers().countDocuments()).to.equal(0);
  });
});
