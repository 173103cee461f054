import { expect } from 'chai';
import fc from 'fast-check';
import { planWrites, type PlannedWrite } from '../../../src/adapters/view-store/mongo/plannedWrites.js';
import type { ViewChange } from '../../../src/ports/viewStore.js';
import { putRoom, room } from '../../../src/testing/view-store/storeUnderTest.js';

type Rooms = Map<string, Record<string, unknown>>;

const id = fc.constantFrom('r1', 'r2', 'r3');
const appId = fc.constantFrom('a', 'b');
const set = fc.record({ name: fc.string(), description: fc.string() }, { requiredKeys: [] });

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
);

const patchIn = (rooms: Rooms, roomId: string, fields: object): void => {
  const existing = rooms.get(roomId);
  if (existing) rooms.set(roomId, { ...existing, ...fields });
};

const matching = (rooms: Rooms, where: Readonly<Record<string, unknown>>): string[] =>
  [...rooms].filter(([, each]) => each.appId === where.appId).map(([roomId]) => roomId);

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
  it('come to the same as the changes one by one', () => {
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

  it('never pass a change of all that match', () => {
    const writes = planWrites([
      putRoom('r1'),
      { removeWhere: 'rooms', filter: { appId: 'app' } },
      putRoom('r1', { name: 'again' }),
    ]).get('rooms');
    expect(writes).to.have.lengthOf(3);
  });
});
