import { expect } from 'chai';
import type {
  GrantEvent,
  GrantFields,
  RoomEvent,
  RoomFields,
  RoomOrigin,
} from '@roomwire/shared/domain/room';
import { provisionedRoomsCap, roomBySlug, roomsDecider, type RoomCommand } from '../../src/rooms/decider.js';
import { remade, sentences, testTime } from '../support/deciders.js';

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
const renamed = (roomId: string): RoomEvent => ({
  type: 'RoomUpdated',
  data: { appId, roomId, changes: { name: 'Hall' } },
});
const grantOn = (roomId: string): GrantEvent => {
  const fields: GrantFields = {
    ...{ roomActorAccessId: `g ${roomId}`, appId, roomId, projectId: 'p1', actorTokenId: null },
    ...{ actorType: 'device', permission: 'pubSub', topics: null, expiresAt: null, isActive: true },
    ...{ role: null, metadata: null },
  };
  return { type: 'RoomGrantAdded', data: fields };
};
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
    given(created('r1', 'lobby'))
      .when(create('r2', 'lobby'))
      .thenRejected('room_slug_taken', { slug: 'lobby' });
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
      .thenRejected('room_cap_reached', { appId, cap: 1_000 });
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

  it('deletes a room, and not a static one', () => {
    given(created('r1', 'lobby')).when(remove('r1')).then(deleted('r1'));
    given().when(remove('r1')).thenRejected('room_not_found', { roomId: 'r1' });
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
      .thenRejected('room_not_found', { roomId: 'r1' });
  });

  it('finds a room by its slug', () => {
    const { state } = remade(roomsDecider, [created('r1', 'lobby'), created('r2', 'bar')]);
    expect(roomBySlug(state, 'bar')).to.include({ roomId: 'r2', slug: 'bar' });
    expect(() => roomBySlug(state, 'hall'))
      .to.throw()
      .with.deep.property('details', { roomId: 'hall' });
  });

  it('has nothing of a room that was deleted, or never created', () => {
    const past = [created('r1', 'lobby', 'ensure'), grantOn('r1'), deleted('r1')];
    for (const events of [past, [deleted('r1')], [renamed('r1')]])
      expect(remade(roomsDecider, events).state).to.eql(roomsDecider.initial());
  });

  it('is the same when it is made of its records, whatever they hold', () => {
    const rooms = [created('r1', 'lobby'), created('r2', 'bar', 'ensure'), created('r3', 'hall', 'ensure')];
    const past = [...rooms, renamed('r2'), grantOn('r1'), grantOn('r3'), deleted('r3')];
    const { state, again } = remade(roomsDecider, past);
    expect(again).to.eql(state);
    expect(again?.byId.get('r2')).to.include({ name: 'Hall', createdAt: testTime });
    expect([...(again?.grants.keys() ?? [])]).to.eql(['r1']);
    expect(again?.provisioned).to.equal(1);
  });

  it('[HTTP-HIST-2] records the deletion of a history, of a room that is there', () => {
    const deletedHistory = {
      ...{
        appId,
        roomId: 'r1',
        accessScopeId: null,
        topic: 'chat',
        room: 'p1/app/_/lobby',
        upTo: 'position',
      },
    };
    const deletion: RoomCommand = { type: 'DeleteHistory', deleted: deletedHistory };
    const event = { type: 'HistoryDeleted', data: deletedHistory } as const;
    given(created('r1', 'lobby')).when(deletion).then(event);
    given(created('r1', 'lobby'), event).when(deletion).then(event);
    given(created('r1', 'lobby'), deleted('r1')).when(deletion).thenRejected('room_not_found');
  });
});
