import { expect } from 'chai';
import type { ViewFilter } from '@roomwire/shared/ports/viewStore';
import { at, matchingIds, putRoom, rejectionOf, type StoreUnderTest } from './storeUnderTest.js';

const refusedFilters: Readonly<Record<string, readonly unknown[]>> = {
  'operators beyond the port': [
    { $where: 'true' },
    { $expr: { $eq: [1, 1] } },
    { $jsonSchema: {} },
    { $text: { $search: 'x' } },
    { $comment: 'x' },
    { slug: { $where: 'true' } },
    { slug: { $type: 'string' } },
    { topics: { $size: 1 } },
    { topics: { $all: ['chat'] } },
    { 'metadata.size': { $mod: [2, 0] } },
    { slug: { $eq: 'r', $where: 'true' } },
  ],
  'operators beyond the port, further in': [
    { $and: [{ slug: 'r' }, { $where: 'true' }] },
    { $or: [{ $nor: [{ $expr: true }] }] },
    { slug: { $not: { $type: 'string' } } },
    { topics: { $elemMatch: { $size: 1 } } },
    { topics: { $elemMatch: { row: { $where: 'true' } } } },
  ],
  'operands that engines read differently, or as something else': [
    { slug: undefined },
    { slug: { $eq: undefined } },
    { slug: { $in: [undefined] } },
    { slug: /r/ },
    { slug: { $regex: /r/ } },
    { slug: { $in: [/r/] } },
    { slug: new Date(0) },
    { slug: Number.NaN },
    { metadata: { size: 1 } },
    { metadata: {} },
    { metadata: { $eq: { size: 1 } } },
    { topics: [['chat']] },
    { slug: { name: 'r', $eq: 'r' } },
    { 'metadata.size': { $gt: null } },
  ],
  'malformed conditions': [
    { slug: { $in: 'r' } },
    { slug: { $nin: 'r' } },
    { slug: { $exists: 1 } },
    { slug: { $regex: '(' } },
    { slug: { $regex: 'a\0' } },
    { slug: { $regex: 'r', $options: 'g' } },
    { slug: { $options: 'i' } },
    { slug: { $not: 'r' } },
    { slug: { $not: {} } },
    { topics: { $elemMatch: 'chat' } },
    { $and: [] },
    { $or: { slug: 'r' } },
    { $nor: ['r'] },
  ],
  'names that are no fields': [
    { '': 1 },
    { '.slug': 1 },
    { 'metadata.': 1 },
    { 'metadata..size': 1 },
    { 'metadata.$size': 1 },
    { 'a\0b': 1 },
    { 'metadata.__proto__.x': 1 },
    JSON.parse('{ "__proto__": { "x": 1 } }'),
  ],
  'what is no filter at all': [null, [], 'slug', new Map()],
};

export const refusalsContract = (current: () => StoreUnderTest): void => {
  for (const [title, filters] of Object.entries(refusedFilters))
    it(`refuses ${title}`, async () => {
      const { store } = current();
      await store.apply({ changes: [putRoom('r')], position: at(1) });
      for (const filter of filters as readonly ViewFilter[]) {
        const what = JSON.stringify(filter);
        expect(await rejectionOf(store.find('rooms', { filter })), what).to.be.instanceOf(TypeError);
        expect(await rejectionOf(store.count('rooms', filter)), what).to.be.instanceOf(TypeError);
      }
    });

  for (const change of ['patchWhere', 'removeWhere'] as const)
    it(`refuses the whole batch with such a filter in ${change}`, async () => {
      const { store } = current();
      await store.apply({ changes: [putRoom('r')], position: at(1) });
      const filter = { $where: 'true' };
      const refused =
        change === 'removeWhere'
          ? { removeWhere: 'rooms' as const, filter }
          : { patchWhere: 'rooms' as const, filter, set: {} };
      const batch = { changes: [putRoom('before'), refused, putRoom('after')], position: at(2) };
      expect(await rejectionOf(store.apply(batch))).to.be.instanceOf(TypeError);
      expect(await matchingIds(store, {})).to.deep.equal(['r']);
      expect(await store.checkpoint()).to.equal(at(1));
    });

  for (const counts of [{ skip: -1 }, { limit: -1 }, { limit: 1.5 }, { skip: Number.NaN }])
    it(`refuses ${JSON.stringify(counts)}`, async () => {
      expect(await rejectionOf(current().store.find('rooms', counts))).to.be.instanceOf(TypeError);
    });
};
