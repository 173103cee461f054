import type { RoomEvent, RoomFields, RoomOrigin } from '@roomwire/shared/domain/room';
import { provisionedRoomsCap, roomsDecider, type RoomCommand } from '../../src/rooms/decider.js';
import { sentences } from '../support/deciders.js';

const given = sentences(roomsDecider);
const appId = 'a1';

const fields = (roomId: string, slug: string, origin: RoomOrigin = 'api'): RoomFields => ({
  roomId,
  appId,
  projectId: 'p1',
  name: 'Lobby',
  slug,
  description: null,
  topics: ['chat'],
  metadata: {},
  origin,
});
const created = (roomId: string, slug: string, origin?: RoomOrigin): RoomEvent => ({
  type: 'RoomCreated',
  data: fields(roomId, slug, origin),
});
const deleted = (roomId: string): RoomEvent => ({ type: 'RoomDeleted', data: { appId, roomId } });
const create = (roomId: string, slug: string): RoomCommand => ({
  type: 'CreateRoom',
  room: fields(roomId, slug),
});
const ensure = (roomId: string, slug: string): RoomCommand => ({
  type: 'EnsureRoom',
  room: fields(roomId, slug, 'ensure'),
});
const remove = (roomId: string): RoomCommand => ({ type: 'DeleteRoom', appId, roomId });

const ensured = (count: number): RoomEvent[] =>
  Array.from({ length: count }, (_, index) => created(`e${index}`, `room-${index}`, 'ensure'));

describe('the rooms of an app', () => {
  it('holds each slug once', () => {
    given(created('r1', 'lobby')).when(create('r2', 'lobby')).thenRejected('room_slug_taken');
    given(created('r1', 'lobby'), deleted('r1')).when(create('r2', 'lobby')).then(created('r2', 'lobby'));
  });

  it('ensures a room by its slug', () => {
    given()
      .when(ensure('r1', 'lobby'))
      .then(created('r1', 'lobby', 'ensure'));
    given(created('r1', 'lobby')).when(ensure('r2', 'lobby')).thenNothing();
  });

  it('limits only the rooms that were created by ensure', () => {
    given(...ensured(provisionedRoomsCap))
      .when(ensure('new', 'new'))
      .thenRejected('room_cap_reached');
    given(...ensured(provisionedRoomsCap))
      .when(ensure('new', 'room-7'))
      .thenNothing();
    given(...ensured(provisionedRoomsCap))
      .when(create('new', 'new'))
      .then(created('new', 'new'));
    given(...ensured(provisionedRoomsCap), deleted('e3'))
      .when(ensure('new', 'new'))
      .then(created('new', 'new', 'ensure'));
  });

  it('keeps a static room', () => {
    given(created('r1', 'lobby', 'blueprint'))
      .when(remove('r1'))
      .thenRejected('room_static');
  });

  it('changes only what differs', () => {
    const update = (changes: object): RoomCommand => ({ type: 'UpdateRoom', appId, roomId: 'r1', changes });
    given(created('r1', 'lobby'))
      .when(update({ name: 'Lobby', topics: ['chat'] }))
      .thenNothing();
    given(created('r1', 'lobby'))
      .when(update({ name: 'Hall', topics: ['chat'] }))
      .then({ type: 'RoomUpdated', data: { appId, roomId: 'r1', changes: { name: 'Hall' } } });
    given()
      .when(update({ name: 'Hall' }))
      .thenRejected('room_not_found');
  });
});
