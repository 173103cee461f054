import { expect } from 'chai';
import fc from 'fast-check';
import { openMongoViewStores } from '../../../src/adapters/view-store/mongo/mongoViewStore.js';
import type { ViewStore, ViewStores } from '../../../src/ports/viewStore.js';
import { at, matchingIds, putRoom, room } from '@roomwire/testing/contracts/view-store/storeUnderTest';
import { anyMetadata, oddMetadata } from './mongoMetadata.js';
import { mongoUrl, testDatabase, type TestDatabase } from './mongoTestDatabase.js';

describe('the MongoDB view store, with any metadata', () => {
  let database: TestDatabase;
  let stores: ViewStores;
  let store: ViewStore;
  let position = 0;

  before(() => void mongoUrl());
  beforeEach(async () => {
    position = 0;
    database = testDatabase();
    stores = await openMongoViewStores({ url: database.url, database: database.name });
    await stores.views.admitReaders(undefined);
    store = stores.views;
  });
  afterEach(async () => {
    await stores.close();
    await database.drop();
  });
  const next = (): string => at((position += 1));

  it('returns documents as they were put and patched', async () => {
    await fc.assert(
      fc.asyncProperty(anyMetadata, anyMetadata, async (put, patched) => {
        await store.apply({ changes: [putRoom('r', { metadata: put })], position: next() });
        expect(await store.get('rooms', 'r')).to.deep.equal(room('r', { metadata: put }));
        // FerretDB 1.24 treats objects that differ only in their keys as equal, and does not write.
        const metadata = { ...patched, nth: `patch ${position}` };
        const patch = { patch: 'rooms' as const, id: 'r', set: { metadata } };
        await store.apply({ changes: [patch], position: next() });
        expect(await store.find('rooms', {})).to.deep.equal([room('r', { metadata })]);
      }),
      { seed: 20261121, numRuns: 150 },
    );
  });

  for (const [title, metadata] of Object.entries(oddMetadata))
    it(`returns ${title}`, async () => {
      await store.apply({ changes: [putRoom('r', { metadata })], position: next() });
      const found = await store.get('rooms', 'r');
      expect(JSON.stringify(found?.metadata)).to.equal(JSON.stringify(metadata));
    });

  it('finds documents by fields whose names it stores in another form', async () => {
    const metadata = { _private: 1, '50%': 2, plain: [{ _id: 'x' }] };
    await store.apply({ changes: [putRoom('r', { metadata })], position: next() });
    for (const filter of [
      { 'metadata._private': 1 },
      { 'metadata.50%': { $gt: 1 } },
      { 'metadata.plain._id': 'x' },
      { 'metadata.plain': { $elemMatch: { _id: { $in: ['x'] } } } },
      { $and: [{ 'metadata._private': 1 }, { $nor: [{ 'metadata.50%': 1 }] }] },
      { _id: null, _term: null },
    ])
      expect(await matchingIds(store, filter), JSON.stringify(filter)).to.deep.equal(['r']);
  });
});
