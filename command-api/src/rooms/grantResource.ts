import { actorTypes } from '@roomwire/shared/domain/actors/actor';
import { permissions, type Grant } from '@roomwire/shared/domain/rooms/grant';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import {
  described,
  flag,
  flagSchema,
  limited,
  listOf,
  objectSchema,
  oneOf,
  orNull,
  record,
  strictObject,
  text,
  textOrNullSchema,
  textSchema,
  timeSchema,
  titled,
  topicsSchema,
  uuidSchema,
  type ValueOf,
} from '../http/schema.js';

export type CreateGrantBody = ValueOf<typeof createGrantSchema>;

export const createGrantSchema = limited(
  titled(
    'NewRoomGrant',
    strictObject(
      {
        permission: oneOf(permissions),
        actorTokenId: uuidSchema,
        actorType: oneOf(actorTypes),
        topics: orNull(topicsSchema),
        expiresAt: orNull(timeSchema),
        isActive: flag(),
        role: orNull(text({ maxLength: 255 })),
        metadata: orNull(objectSchema),
      },
      ['permission'],
    ),
  ),
  { exactlyOneOf: ['actorTokenId', 'actorType'] },
);

export const grantSchema = record('RoomGrant', {
  roomActorAccessId: uuidSchema,
  appId: uuidSchema,
  roomId: uuidSchema,
  actorTokenId: described(orNull(uuidSchema), 'Null for a grant to a type'),
  actorType: described(orNull(oneOf(actorTypes)), 'Null for a grant to one actor'),
  permission: oneOf(permissions),
  topics: described(orNull(listOf(textSchema)), 'Null for every topic of the room'),
  expiresAt: orNull(timeSchema),
  isActive: flagSchema,
  role: described(textOrNullSchema, 'A label without effect'),
  metadata: orNull(objectSchema),
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

type GrantAnswer = ValueOf<typeof grantSchema>;

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
