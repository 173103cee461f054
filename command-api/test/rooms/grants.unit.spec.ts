import type { ActorType } from '@roomwire/shared/domain/actor';
import type { GrantEvent, GrantFields, RoomEvent } from '@roomwire/shared/domain/room';
import { roomsDecider, type RoomCommand } from '../../src/rooms/decider.js';
import { sentences } from '../support/deciders.js';

const given = sentences(roomsDecider);
const appId = 'a1';
const actor1 = '11111111-1111-4111-8111-111111111111';
const actor2 = '22222222-2222-4222-8222-222222222222';

type Holder = { readonly actorTokenId: string } | { readonly actorType: ActorType };

const fields = (roomActorAccessId: string, holder: Holder, more: Partial<GrantFields> = {}): GrantFields => ({
  roomActorAccessId,
  appId,
  roomId: 'r1',
  projectId: 'p1',
  actorTokenId: null,
  actorType: null,
  ...holder,
  permission: 'pubSub',
  topics: null,
  expiresAt: null,
  isActive: true,
  role: null,
  metadata: null,
  ...more,
});
const room = (roomId: string): RoomEvent => ({
  type: 'RoomCreated',
  data: {
    roomId,
    appId,
    projectId: 'p1',
    name: roomId,
    slug: roomId,
    description: null,
    topics: [],
    metadata: {},
    origin: 'api',
  },
});
const granted = (...of: Parameters<typeof fields>): GrantEvent => ({
  type: 'RoomGrantAdded',
  data: fields(...of),
});
const revoked = (roomActorAccessId: string, roomId = 'r1'): GrantEvent => ({
  type: 'RoomGrantRevoked',
  data: { appId, roomId, roomActorAccessId },
});
const grant = (...of: Parameters<typeof fields>): RoomCommand => ({
  type: 'GrantAccess',
  grant: fields(...of),
});
const revoke = (roomActorAccessId: string, roomId = 'r1'): RoomCommand => ({
  type: 'RevokeAccess',
  appId,
  roomId,
  roomActorAccessId,
});
const device: Holder = { actorType: 'device' };
const ada: Holder = { actorTokenId: actor1 };

describe('the grants on the rooms of an app', () => {
  it('need the room', () => {
    for (const command of [grant('g1', device), revoke('g1')])
      given(room('r2')).when(command).thenRejected('room_not_found', { roomId: 'r1' });
  });

  it('give an actor, and a type of actor, one grant a room', () => {
    given(room('r1')).when(grant('g1', device)).then(granted('g1', device));
    for (const holder of [device, ada])
      given(room('r1'), granted('g1', holder)).when(grant('g2', holder)).thenRejected('grant_holder_taken');
    for (const other of [ada, { actorType: 'user' } as const, { actorTokenId: actor2 }])
      given(room('r1'), granted('g1', device)).when(grant('g2', other)).then(granted('g2', other));
    given(room('r1'), room('r2'), granted('g1', device))
      .when(grant('g2', device, { roomId: 'r2' }))
      .then(granted('g2', device, { roomId: 'r2' }));
  });

  it('count while they are expired or inactive', () => {
    for (const past of [{ expiresAt: '2000-01-01T00:00:00.000Z' }, { isActive: false }])
      given(room('r1'), granted('g1', ada, past))
        .when(grant('g2', ada))
        .thenRejected('grant_holder_taken');
  });

  it('can be granted again once revoked', () => {
    given(room('r1'), granted('g1', ada)).when(revoke('g1')).then(revoked('g1'));
    given(room('r1'), granted('g1', ada), revoked('g1')).when(grant('g2', ada)).then(granted('g2', ada));
    given(room('r1'), granted('g1', ada), revoked('g1')).when(revoke('g1')).thenRejected('grant_not_found');
  });

  it('are revoked on their own room only', () => {
    given(room('r1'), room('r2'), granted('g1', ada))
      .when(revoke('g1', 'r2'))
      .thenRejected('grant_not_found');
  });

  it('need their room, and are removed with it', () => {
    given().when(grant('g1', ada)).thenRejected('room_not_found');
    given().when(revoke('g1')).thenRejected('room_not_found');
    const gone: RoomEvent = { type: 'RoomDeleted', data: { appId, roomId: 'r1' } };
    given(room('r1'), granted('g1', ada), gone).when(grant('g2', ada)).thenRejected('room_not_found');
    given(room('r1'), granted('g1', ada), gone, room('r1')).when(grant('g2', ada)).then(granted('g2', ada));
  });
});
