import { expect } from 'chai';
import fc from 'fast-check';
import type { ViewStores } from '@roomwire/shared/ports/viewStore';
import type { Reopenable } from '../reopenable.js';
import { aheadContract } from './aheadContract.js';
import { cascadesContract } from './cascadesContract.js';
import { changesContract } from './changesContract.js';
import { filtersContract } from './filtersContract.js';
import { positionsContract } from './positionsContract.js';
import { filterToAsk, matchesNaively, roomsToAsk, sortedNaively, sortToAsk } from './queryOracle.js';
import { rebuildContract } from './rebuildContract.js';
import { refusalsContract } from './refusalsContract.js';
import { sortingContract } from './sortingContract.js';
import { at, type StoreUnderTest } from './storeUnderTest.js';
import { versionsContract } from './versionsContract.js';

const oracleContract = (current: () => StoreUnderTest): void => {
  it('returns the same as a naive search, in the same order', async () => {
    const { store } = current();
    const query = fc.asyncProperty(
      fc.tuple(roomsToAsk, filterToAsk, sortToAsk, fc.nat(4), fc.nat(6)),
      async ([rooms, filter, fields, skip, limit]) => {
        await store.clear();
        await store.admitReaders(undefined);
        await store.apply({
          changes: rooms.map((doc) => ({ put: 'rooms', id: doc.roomId, doc })),
          position: at(1),
        });
        const sort = [...fields, ['roomId', 1] as const];
        const expected = sortedNaively(
          rooms.filter((each) => matchesNaively(each, filter)),
          sort,
        );
        expect(await store.count('rooms', filter)).to.equal(expected.length);
        const found = await store.find('rooms', { filter, sort, skip, limit });
        expect(found).to.deep.equal(expected.slice(skip, skip + limit));
      },
    );
    await fc.assert(query, { seed: 20260117, numRuns: 150 });
  });
};

/** What every adapter of the port guarantees. `open` returns empty stores of their own for each test. */
export const viewStoreContract = (name: string, open: () => Promise<Reopenable<ViewStores>>): void => {
  describe(`view store: ${name}`, () => {
    let opened: Reopenable<ViewStores>;
    let underTest: StoreUnderTest;
    const current = (): StoreUnderTest => underTest;

    beforeEach(async () => {
      opened = await open();
      const { views: store, usage, versions } = opened.store;
      await store.admitReaders(undefined);
      const reopen = async (version?: number) => (await opened.reopen(version)).views;
      underTest = { store, usage, versions, reopen };
    });
    afterEach(() => opened.dispose());

    describe('changes', () => changesContract(current));
    describe('filters', () => filtersContract(current));
    describe('refusals', () => refusalsContract(current));
    describe('order', () => sortingContract(current));
    describe('random queries', () => oracleContract(current));
    describe('positions', () => positionsContract(current));
    describe('a rebuild', () => rebuildContract(current));
    describe('other versions', () => versionsContract(current));
    describe('changes that go ahead', () => aheadContract(current));
    describe('a cascade', () => cascadesContract(current));
  });
};
