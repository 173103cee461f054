import { expect } from 'chai';
import type { ViewFilter } from '@roomwire/shared/ports/viewStore';
import { at, matchingIds, putRoom, type StoreUnderTest } from './storeUnderTest.js';

const rooms = [
  putRoom('ann', {
    description: 'First room',
    topics: ['chat', 'news'],
    metadata: {
      size: 1,
      color: 'red',
      owner: { name: 'Ann' },
      seats: [
        { row: 'a', place: 1 },
        { row: 'b', place: 2 },
      ],
    },
  }),
  putRoom('bob', {
    topics: [],
    metadata: { size: 2, color: null, open: true, seats: [{ row: 'a', place: 2 }] },
  }),
  putRoom('cat', {
    appId: 'other',
    description: 'third.room',
    topics: ['chat'],
    metadata: { size: 10, marks: [3, 8] },
  }),
  putRoom('dan', {
    appId: 'other',
    status: 'disabled',
    description: '',
    topics: ['news', 'sport'],
    metadata: { size: '2', color: 'blue', open: false, marks: [5] },
  }),
];

const cases: Readonly<Record<string, readonly (readonly [ViewFilter, ...string[]])[]>> = {
  equality: [
    [{}, 'ann', 'bob', 'cat', 'dan'],
    [{ slug: 'ann' }, 'ann'],
    [{ slug: 'nobody' }],
    [{ appId: 'other' }, 'cat', 'dan'],
    [{ appId: 'other', slug: 'dan' }, 'dan'],
    [{ appId: 'app', slug: 'dan' }],
    [{ appId: 'other', status: 'active' }, 'cat'],
    [{ description: '' }, 'dan'],
    [{ 'metadata.size': 2 }, 'bob'],
    [{ 'metadata.size': '2' }, 'dan'],
    [{ 'metadata.open': false }, 'dan'],
    [{ 'metadata.owner.name': 'Ann' }, 'ann'],
    [{ 'metadata.nowhere.at.all': 'x' }],
  ],
  'null, which a missing field equals': [
    [{ description: null }, 'bob'],
    [{ 'metadata.color': null }, 'bob', 'cat'],
    [{ 'metadata.color': { $ne: null } }, 'ann', 'dan'],
    [{ 'metadata.color': { $in: [null, 'red'] } }, 'ann', 'bob', 'cat'],
    [{ 'metadata.color': { $nin: [null, 'red'] } }, 'dan'],
    [{ nothing: null }, 'ann', 'bob', 'cat', 'dan'],
  ],
  lists: [
    [{ topics: 'chat' }, 'ann', 'cat'],
    [{ topics: ['chat', 'news'] }, 'ann'],
    [{ topics: ['news', 'chat'] }],
    [{ topics: [] }, 'bob'],
    [{ topics: { $ne: 'chat' } }, 'bob', 'dan'],
    [{ topics: { $in: ['sport', 'news'] } }, 'ann', 'dan'],
    [{ topics: { $nin: ['chat'] } }, 'bob', 'dan'],
    [{ 'metadata.seats.row': 'b' }, 'ann'],
    [{ 'metadata.seats.place': { $gt: 1 } }, 'ann', 'bob'],
    [{ 'metadata.marks': { $gt: 4, $lt: 7 } }, 'cat', 'dan'],
  ],
  '$eq and $ne': [
    [{ slug: { $eq: 'bob' } }, 'bob'],
    [{ appId: { $eq: 'other' }, 'metadata.size': { $eq: 10 } }, 'cat'],
    [{ status: { $ne: 'active' } }, 'dan'],
    [{ 'metadata.color': { $ne: 'red' } }, 'bob', 'cat', 'dan'],
  ],
  'comparisons, of one type only': [
    [{ 'metadata.size': { $gt: 1 } }, 'bob', 'cat'],
    [{ 'metadata.size': { $gte: 1 } }, 'ann', 'bob', 'cat'],
    [{ 'metadata.size': { $lt: 10 } }, 'ann', 'bob'],
    [{ 'metadata.size': { $lte: 10 } }, 'ann', 'bob', 'cat'],
    [{ 'metadata.size': { $gt: 1, $lt: 10 } }, 'bob'],
    [{ 'metadata.size': { $gte: '' } }, 'dan'],
    [{ slug: { $gt: 'ann', $lte: 'cat' } }, 'bob', 'cat'],
    [{ 'metadata.color': { $lt: 'red' } }, 'dan'],
  ],
  '$in and $nin': [
    [{ slug: { $in: ['ann', 'dan', 'nobody'] } }, 'ann', 'dan'],
    [{ slug: { $in: [] } }],
    [{ slug: { $nin: [] } }, 'ann', 'bob', 'cat', 'dan'],
    [{ 'metadata.size': { $in: [2, 10] } }, 'bob', 'cat'],
    [{ appId: 'other', slug: { $nin: ['cat'] } }, 'dan'],
  ],
  $exists: [
    [{ 'metadata.color': { $exists: true } }, 'ann', 'bob', 'dan'],
    [{ 'metadata.color': { $exists: false } }, 'cat'],
    [{ 'metadata.color': { $exists: true, $ne: null } }, 'ann', 'dan'],
    [{ description: { $exists: true } }, 'ann', 'bob', 'cat', 'dan'],
  ],
  $regex: [
    [{ slug: { $regex: 'an' } }, 'ann', 'dan'],
    [{ slug: { $regex: '^an' } }, 'ann'],
    [{ description: { $regex: 'ROOM', $options: 'i' } }, 'ann', 'cat'],
    [{ description: { $regex: 'ROOM' } }],
    [{ description: { $regex: 'd\\.r' } }, 'cat'],
    [{ description: { $regex: '\\x00', $options: 'i' } }],
    [{ description: { $regex: '' } }, 'ann', 'cat', 'dan'],
    [{ topics: { $regex: '^s' } }, 'dan'],
    [{ 'metadata.size': { $regex: '2' } }, 'dan'],
  ],
  $elemMatch: [
    [{ 'metadata.seats': { $elemMatch: { row: 'a', place: 2 } } }, 'bob'],
    [{ 'metadata.seats': { $elemMatch: { row: { $in: ['a'] }, place: { $lt: 2 } } } }, 'ann'],
    [{ 'metadata.marks': { $elemMatch: { $gt: 4, $lt: 7 } } }, 'dan'],
    [{ topics: { $elemMatch: { $regex: '^n' } } }, 'ann', 'dan'],
    [{ topics: { $elemMatch: { row: 'chat' } } }],
    [{ slug: { $elemMatch: { $eq: 'ann' } } }],
  ],
  '$and, $or, $nor and $not': [
    [{ $and: [{ appId: 'app' }, { topics: 'news' }] }, 'ann'],
    [{ $and: [{ appId: 'app' }, { appId: 'other' }] }],
    [{ appId: 'app', $and: [{ appId: 'other' }] }],
    [{ $or: [{ slug: 'ann' }, { status: 'disabled' }] }, 'ann', 'dan'],
    [{ appId: 'other', $or: [{ slug: 'ann' }, { status: 'disabled' }] }, 'dan'],
    [
      { $or: [{ appId: 'app', $and: [{ slug: 'bob' }] }, { $nor: [{ appId: 'app' }, { slug: 'cat' }] }] },
      'bob',
      'dan',
    ],
    [{ $nor: [{ slug: 'ann' }, { status: 'disabled' }] }, 'bob', 'cat'],
    [{ 'metadata.size': { $not: { $gt: 1 } } }, 'ann', 'dan'],
    [{ slug: { $not: { $regex: 'AN', $options: 'i' } } }, 'bob', 'cat'],
    [{ topics: { $not: { $in: ['chat'] } } }, 'bob', 'dan'],
  ],
};

export const filtersContract = (current: () => StoreUnderTest): void => {
  for (const [title, rows] of Object.entries(cases))
    it(`finds and counts by ${title}`, async () => {
      const { store } = current();
      await store.apply({ changes: rooms, position: at(1) });
      for (const [filter, ...expected] of rows) {
        expect(await matchingIds(store, filter), JSON.stringify(filter)).to.deep.equal(expected);
        expect(await store.count('rooms', filter), `count ${JSON.stringify(filter)}`).to.equal(
          expected.length,
        );
      }
    });

  it('compares strings by code point', async () => {
    const { store } = current();
    await store.apply({
      changes: [putRoom('r1', { name: '\uff5e' }), putRoom('r2', { name: '😀' })],
      position: at(1),
    });
    expect(await matchingIds(store, { name: { $gt: '\uff5e' } })).to.deep.equal(['r2']);
  });

  it('selects the documents of a change by the same rules', async () => {
    const { store } = current();
    const filter = { 'metadata.seats': { $elemMatch: { row: 'a', place: 2 } } };
    await store.apply({ changes: rooms, position: at(1) });
    await store.apply({
      changes: [
        { patchWhere: 'rooms', filter, set: { description: 'patched' } },
        { removeWhere: 'rooms', filter: { topics: { $in: ['sport'] } } },
      ],
      position: at(2),
    });
    expect(await matchingIds(store, { description: 'patched' })).to.deep.equal(['bob']);
    expect(await matchingIds(store, {})).to.deep.equal(['ann', 'bob', 'cat']);
  });
};
