import { actorTypes, type ActorType } from '@roomwire/shared/domain/actors/actor';
import { permissions, type Permission } from '@roomwire/shared/domain/rooms/grant';
import type { JsonSchema } from '../http/route.js';
import {
  objectSchema,
  orNull,
  strictObject,
  timeSchema,
  titled,
  topicsSchema,
  uuidSchema,
} from '../http/schema.js';

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
