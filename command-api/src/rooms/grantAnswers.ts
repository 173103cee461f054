import { actorTypes } from '@roomwire/shared/domain/actors/actor';
import { permissions } from '@roomwire/shared/domain/rooms/grant';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import {
  flagSchema,
  listOf,
  objectSchema,
  orNull,
  record,
  textOrNullSchema,
  textSchema,
  timeSchema,
  uuidSchema,
} from '../http/schema.js';
import type { presentGrant } from './presentGrant.js';

export const grantSchema = record('RoomGrant', {
  roomActorAccessId: uuidSchema,
  appId: uuidSchema,
  roomId: uuidSchema,
  actorTokenId: { ...orNull(uuidSchema), description: 'Null for a grant to a type' },
  actorType: {
    type: ['string', 'null'],
    enum: [...actorTypes, null],
    description: 'Null for a grant to one actor',
  },
  permission: { type: 'string', enum: [...permissions] },
  topics: { ...orNull(listOf(textSchema)), description: 'Null for every topic of the room' },
  expiresAt: orNull(timeSchema),
  isActive: flagSchema,
  role: { ...textOrNullSchema, description: 'A label for people' },
  metadata: orNull(objectSchema),
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

export const exampleNewGrant = {
  permission: 'pubSub',
  actorTokenId: exampleIds.actorTokenId,
  topics: ['chat'],
  role: 'moderator',
} as const;

export const exampleGrant: ReturnType<typeof presentGrant> = {
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
