import { actorTypes, type ActorType } from '@roomwire/shared/domain/actors/actor';
import { permissions, type Permission, type Grant } from '@roomwire/shared/domain/rooms/grant';
import type { JsonSchema } from '../http/route.js';
import {
  objectSchema,
  orNull,
  strictObject,
  timeSchema,
  titled,
  topicsSchema,
  uuidSchema,
  flagSchema,
  listOf,
  record,
  textOrNullSchema,
  textSchema,
} from '../http/schema.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';

export interface CreateGrantBody {
  readonly permission: Permission;
  readonly actorTokenId?: string;
  readonly actorType?: ActorType;
  readonly topics?: readonly string[] | null;
  readonly expiresAt?: string | null;
  readonly isActive?: boolean;
  readonly role?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}

export const createGrantSchema: JsonSchema = {
  ...titled(
    'NewRoomGrant',
    strictObject(
      {
        permission: { type: 'string', enum: [...permissions] },
        actorTokenId: uuidSchema,
        actorType: { type: 'string', enum: [...actorTypes] },
        topics: orNull(topicsSchema),
        expiresAt: orNull(timeSchema),
        isActive: { type: 'boolean' },
        role: { type: ['string', 'null'], maxLength: 255 },
        metadata: orNull(objectSchema),
      },
      ['permission'],
    ),
  ),
  exactlyOneOf: ['actorTokenId', 'actorType'],
};

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

export const presentGrant = (grant: Grant) => ({
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
