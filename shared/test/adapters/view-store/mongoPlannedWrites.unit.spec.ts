import { expect } from 'chai';
import fc from 'fast-check';
import {
  planWrites,
  WritePlan,
  type PlannedWrite,
} from '../../../src/adapters/view-store/mongo/writePlan.js';
import type { ViewChange } from '../../../src/ports/viewStore.js';
import { putRoom, room } from '@roomwire/testing/contracts/view-store/storeUnderTest';

type Rooms = Map<string, Record<string, unknown>>;

const id = fc.constantFrom('r1', 'r2', 'r3');
const appId = fc.constantFrom('a', 'b');
const set = fc.record({ name: fc.string(), description: fc.string(), appId }, { requiredKeys: [] });

const change: fc.Arbitrary<ViewChange> = fc.oneof(
  fc.tuple(id, appId, fc.string()).map(([roomId, app, name]) => putRoom(roomId, { appId: app, name })),
  fc.tuple(id, set).map(([roomId, fields]): ViewChange => ({ patch: 'rooms', id: roomId, set: fields })),
  id.map((roomId): ViewChange => ({ remove: 'rooms', id: roomId })),
  fc.tuple(appId, set).map(([app, fields]): ViewChange => ({
    patchWhere: 'rooms',
    filter: { appId: app },
    set: fields,
  })),
  appId.map((app): ViewChange => ({ removeWhere: 'rooms', filter: { appId: app } })),
  id.map((slug): ViewChange => ({ removeWhere: 'rooms', filter: { slug } })),
  appId.map((app): ViewChange => ({ removeWhere: 'rooms', filter: { appId: app, slug: 'r1' } })),
);

const patchIn = (rooms: Rooms, roomId: string, fields: object): void => {
  const existing = rooms.get(roomId);
  if (existing) rooms.set(roomId, { ...existing, ...fields });
};

const matching = (rooms: Rooms, where: Readonly<Record<string, unknown>>): string[] =>
  [...rooms]
    .filter(([, each]) =>
      (['appId', 'slug'] as const).every((field) => !(field in where) || each[field] === where[field]),
    )
    .map(([roomId]) => roomId);

const make = (rooms: Rooms, write: PlannedWrite): void => {
  if ('documents' in write)
    for (const [roomId, each] of write.documents)
      if (each === 'remove') rooms.delete(roomId);
      else if ('put' in each) rooms.set(roomId, each.put);
      else patchIn(rooms, roomId, each.set);
  else
    for (const roomId of matching(rooms, write.where))
      if (write.write === 'remove') rooms.delete(roomId);
      else patchIn(rooms, roomId, write.write.set);
};

const makeAll = (changes: readonly ViewChange[], rooms: Rooms): Rooms => {
  for (const write of planWrites(changes).get('rooms') ?? []) make(rooms, write);
  return rooms;
};

const given = (): Rooms => new Map([['r1', { ...room('r1', { appId: 'a' }) }]]);

describe('planned writes', () => {
  it('have the same result as the changes one by one', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        const oneByOne = given();
        for (const each of changes) makeAll([each], oneByOne);
        expect(new Map(makeAll(changes, given()))).to.deep.equal(oneByOne);
      }),
      { numRuns: 500 },
    );
  });

  it('are one for each document', () => {
    const writes = planWrites([
      putRoom('r1'),
      { patch: 'rooms', id: 'r1', set: { name: 'x' } },
      { patch: 'rooms', id: 'r2', set: { name: 'x' } },
      { patch: 'rooms', id: 'r2', set: { slug: 'y' } },
      putRoom('r3'),
      { remove: 'rooms', id: 'r3' },
    ]).get('rooms');
    expect(writes).to.deep.equal([
      {
        documents: new Map<string, unknown>([
          ['r1', { put: room('r1', { name: 'x' }) }],
          ['r2', { set: { name: 'x', slug: 'y' } }],
          ['r3', 'remove'],
        ]),
      },
    ]);
  });

  const removal = (field: string, value: string): PlannedWrite => ({
    where: { [field]: value, _removedAt: null },
    write: 'remove',
  });

  it('are not split by removals of all matching documents, which come first', () => {
    const writes = planWrites([
      putRoom('r1', { appId: 'a' }),
      { removeWhere: 'rooms', filter: { appId: 'a' } },
      putRoom('r2', { appId: 'a' }),
      { patch: 'rooms', id: 'r3', set: { name: 'x' } },
      { removeWhere: 'rooms', filter: { appId: 'b' } },
      putRoom('r4', { appId: 'b' }),
      { removeWhere: 'rooms', filter: { appId: 'b' } },
    ]).get('rooms');
    expect(writes).to.deep.equal([
      removal('appId', 'a'),
      removal('appId', 'b'),
      {
        documents: new Map<string, unknown>([
          ['r1', 'remove'],
          ['r2', { put: room('r2', { appId: 'a' }) }],
          ['r3', { set: { name: 'x' } }],
          ['r4', 'remove'],
        ]),
      },
    ]);
  });

  it('are not overtaken by a removal that depends on a field of a document that may exist', () => {
    const writes = planWrites([
      { patch: 'rooms', id: 'r1', set: { appId: 'b' } },
      { removeWhere: 'rooms', filter: { appId: 'a' } },
    ]).get('rooms');
    expect(writes).to.deep.equal([
      { documents: new Map([['r1', { set: { appId: 'b' } }]]) },
      removal('appId', 'a'),
    ]);
  });

  it('keep a document that no longer has the value by which others are removed', () => {
    const writes = planWrites([
      { removeWhere: 'rooms', filter: { appId: 'a' } },
      putRoom('r1', { appId: 'a' }),
      putRoom('r1', { appId: 'b' }),
      { removeWhere: 'rooms', filter: { appId: 'a' } },
    ]).get('rooms');
    expect(writes).to.deep.equal([
      removal('appId', 'a'),
      { documents: new Map([['r1', { put: room('r1', { appId: 'b' }) }]]) },
    ]);
  });

  it('find documents to remove by a value in a list', () => {
    const writes = planWrites([
      putRoom('r1', { topics: ['a', 'b'] }),
      { removeWhere: 'rooms', filter: { topics: 'b' } },
    ]).get('rooms');
    expect(writes?.at(-1)).to.deep.equal({ documents: new Map([['r1', 'remove']]) });
  });

  it('never overtake a patch of all matching documents', () => {
    const writes = planWrites([
      putRoom('r1'),
      { patchWhere: 'rooms', filter: { appId: 'app' }, set: { name: 'x' } },
      putRoom('r1', { name: 'again' }),
    ]).get('rooms');
    expect(writes).to.have.lengthOf(3);
  });

  it('have a size, which limits what they accept', () => {
    const plan = new WritePlan();
    expect(plan.size).to.equal(0);
    const changes = [putRoom('r1'), putRoom('r1', { metadata: { note: 'x'.repeat(10_000) } })];
    plan.add(changes);
    const written = JSON.stringify(changes[1]).length;
    expect(plan.size).to.be.within(0.8 * written, 1.3 * written);
    plan.add(Array.from({ length: 1_000 }, (_, n) => ({ patch: 'rooms', id: 'r1', set: { name: `n${n}` } })));
    expect(plan.size, 'of what became one write').to.be.within(0.8 * written, 1.3 * written);
    plan.add([{ patchWhere: 'rooms', filter: { appId: 'app' }, set: { name: 'x' } }, ...changes]);
    expect(plan.size, 'of two parts').to.be.within(1.6 * written, 2.6 * written);
    plan.add([{ removeWhere: 'rooms', filter: { appId: 'y'.repeat(10_000) } }]);
    expect(plan.size, 'with a removal').to.be.within(2.4 * written, 3.9 * written);
  });
});
