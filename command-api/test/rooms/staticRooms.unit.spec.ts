import { expect } from 'chai';
import fc from 'fast-check';
import type { Room, RoomEvent, RoomFields, RoomOrigin } from '@roomwire/shared/domain/room';
import { roomsDecider, type RoomCommand, type RoomsState } from '../../src/rooms/decider.js';
import { sentences, testTime } from '../support/deciders.js';

const given = sentences(roomsDecider);
const appId = 'a1';

const fields = (roomId: string, slug: string, origin: RoomOrigin, name = slug): RoomFields => ({
  roomId,
  appId,
  projectId: 'p1',
  name,
  slug,
  description: null,
  topics: ['chat'],
  metadata: {},
  origin,
});
const created = (roomId: string, slug: string, origin: RoomOrigin = 'blueprint'): RoomEvent => ({
  type: 'RoomCreated',
  data: fields(roomId, slug, origin),
});
const updated = (roomId: string, changes: object): RoomEvent => ({
  type: 'RoomUpdated',
  data: { appId, roomId, changes },
});
const deleted = (roomId: string): RoomEvent => ({ type: 'RoomDeleted', data: { appId, roomId } });
const place = (...rooms: RoomFields[]): RoomCommand => ({ type: 'PlaceStaticRooms', appId, rooms });
const wanted = (roomId: string, slug: string, name?: string) => fields(roomId, slug, 'blueprint', name);

const evolve = (state: RoomsState, command: RoomCommand): RoomsState =>
  roomsDecider
    .decide(command, state)
    .reduce((folded, event) => roomsDecider.evolve(folded, { ...event, occurredAt: testTime }), state);

describe('the static rooms of an app', () => {
  it('are created, restored and removed', () => {
    given()
      .when(place(wanted('r1', 'lobby'), wanted('r2', 'hall')))
      .then(created('r1', 'lobby'), created('r2', 'hall'));
    given(created('r1', 'lobby'), updated('r1', { name: 'Changed', topics: [], metadata: { a: 1 } }))
      .when(place(wanted('new', 'lobby')))
      .then(updated('r1', { name: 'lobby', topics: ['chat'], metadata: {} }));
    given(created('r1', 'lobby'), created('r2', 'hall'))
      .when(place(wanted('new', 'hall')))
      .then(deleted('r1'));
    given(created('r1', 'lobby'))
      .when(place(wanted('new', 'lobby')))
      .thenNothing();
  });

  it('keep their status', () => {
    given(created('r1', 'lobby'), updated('r1', { status: 'disabled' }))
      .when(place(wanted('new', 'lobby')))
      .thenNothing();
  });

  it('leave dynamic rooms alone, even one with their slug', () => {
    given(created('r1', 'lobby', 'api'), created('r2', 'hall', 'ensure'), created('r3', 'yard'))
      .when(place(wanted('new', 'lobby', 'Lobby!')))
      .then(deleted('r3'));
  });

  it('are placed completely, in parts that fit into an append', () => {
    const rooms = Array.from({ length: 3000 }, (_, index) => ({
      ...wanted(`r${index}`, `room-${index}`),
      metadata: { text: 'x'.repeat(100) },
    }));
    const state = roomsDecider.initial();
    let parts = 0;
    for (let size = -1; size !== state.byId.size; parts += 1) {
      size = state.byId.size;
      const events = roomsDecider.decide(place(...rooms), state);
      expect(JSON.stringify(events).length).to.be.lessThan(512 * 1024);
      evolve(state, place(...rooms));
    }
    expect(state.byId.size).to.equal(3000);
    expect(parts).to.be.within(3, 100);
  });

  it('behave like a simple model, for any rooms before and after', () => {
    const slug = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const name = fc.constantFrom('one', 'two');
    const before = fc.uniqueArray(
      fc.record({
        slug,
        name,
        origin: fc.constantFrom<RoomOrigin>('api', 'ensure', 'blueprint', 'blueprint'),
        disabled: fc.boolean(),
      }),
      { selector: (room) => room.slug },
    );
    const after = fc.uniqueArray(fc.record({ slug, name }), { selector: (room) => room.slug });

    fc.assert(
      fc.property(before, after, (had, shall) => {
        const state = roomsDecider.initial();
        for (const room of had) {
          const roomId = `old-${room.slug}`;
          const made = { ...fields(roomId, room.slug, room.origin, room.name) };
          roomsDecider.evolve(state, { type: 'RoomCreated', data: made, occurredAt: testTime });
          if (room.disabled) evolve(state, { type: 'UpdateRoom', appId, roomId, changes: disabled });
        }
        evolve(state, place(...shall.map((room) => wanted(`new-${room.slug}`, room.slug, room.name))));

        const expected = new Map<string, string>();
        for (const room of had) {
          if (room.origin === 'blueprint' && !shall.some((each) => each.slug === room.slug)) continue;
          const restored = room.origin === 'blueprint' && shall.find((each) => each.slug === room.slug);
          const kept = { ...room, name: restored ? restored.name : room.name };
          expected.set(room.slug, shown(`old-${room.slug}`, kept));
        }
        for (const room of shall) {
          if (expected.has(room.slug)) continue;
          expected.set(
            room.slug,
            shown(`new-${room.slug}`, { ...room, origin: 'blueprint', disabled: false }),
          );
        }
        expect([...state.byId.values()].map(shownRoom)).to.have.members([...expected.values()]);
        expect([...state.idBySlug.keys()]).to.have.members([...expected.keys()]);
      }),
      { seed: 29, numRuns: 1000 },
    );
  });
});

const disabled = { status: 'disabled' } as const;

const shown = (roomId: string, room: { name: string; origin: string; disabled: boolean }): string =>
  [roomId, room.name, room.origin, room.disabled].join();
const shownRoom = (room: Room): string =>
  shown(room.roomId, { name: room.name, origin: room.origin, disabled: room.status === 'disabled' });
