import { actorTypes } from '@roomwire/shared/domain/actor';
import { permissions, type Grant } from '@roomwire/shared/domain/room';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import * as s from '../http/schema.js';

export type CreateGrantBody = s.ValueOf<typeof createGrantSchema>;

export const createGrantSchema = s.limited(
  s.titled(
    'NewRoomGrant',
    s.strictObject(
      {
        permission: s.oneOf(permissions),
        actorTokenId: s.uuid,
        actorType: s.oneOf(actorTypes),
        topics: s.orNull(s.topics),
        expiresAt: s.orNull(s.time),
        isActive: s.flag(),
        role: s.orNull(s.text({ maxLength: 255 })),
        metadata: s.orNull(s.object),
      },
      ['permission'],
    ),
  ),
  { exactlyOneOf: ['actorTokenId', 'actorType'] },
);

export const grantSchema = s.titledObject('RoomGrant', {
  roomActorAccessId: s.uuid,
  appId: s.uuid,
  roomId: s.uuid,
  actorTokenId: s.described(s.orNull(s.uuid), 'Null for a grant to a type'),
  actorType: s.described(s.orNull(s.oneOf(actorTypes)), 'Null for a grant to one actor'),
  permission: s.oneOf(permissions),
  topics: s.described(s.orNull(s.listOf(s.text())), 'Null for every topic of the room'),
  expiresAt: s.orNull(s.time),
  isActive: s.flag(),
  role: s.described(s.orNull(s.text()), 'A label without effect'),
  metadata: s.orNull(s.object),
  createdAt: s.time,
  updatedAt: s.time,
});

type GrantAnswer = s.ValueOf<typeof grantSchema>;

export const presentGrant = (grant: Grant): GrantAnswer => ({
  roomActorAccessId: grant.roomActorAccessId,
  appId: grant.appId,
  roomId: grant.roomId,
  actorTokenId: grant.actorTokenId,
  actorType: grant.actorType,
  permission: grant.permission,
  topics: grant.topics,
  expiresAt: grant.expiresAt,
  isActive: grant.isActive,
  role: grant.role,
  metadata: grant.metadata,
  createdAt: grant.createdAt,
  updatedAt: grant.updatedAt,
});

export const exampleNewGrant = {
  permission: 'pubSub',
  actorTokenId: exampleIds.actorTokenId,
  topics: ['chat'],
  role: 'moderator',
} as const;

export const exampleGrant: GrantAnswer = {
  roomActorAccessId: exampleIds.roomActorAccessId,
  appId: exampleIds.appId,
  roomId: exampleIds.roomId,
  actorType: null,
  ...exampleNewGrant,
  expiresAt: null,
  isActive: true,
  metadata: null,
  createdAt: exampleTime,
  updatedAt: exampleTime,
};
