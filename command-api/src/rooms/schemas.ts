import type { RoomStatus } from '@roomwire/shared/domain/rooms/room';
import {
  activeOrDisabledSchema,
  descriptionSchema,
  nameSchema,
  objectSchema,
  slugSchema,
  strictObject,
  titled,
  topicsSchema,
} from '../http/schema.js';

type Metadata = Readonly<Record<string, unknown>>;

export interface CreateRoomBody {
  readonly name: string;
  readonly slug?: string;
  readonly description?: string | null;
  readonly topics?: readonly string[];
  readonly metadata?: Metadata;
  readonly enableWebRTC?: boolean;
}

export const createRoomSchema = titled(
  'NewRoom',
  strictObject(
    {
      name: nameSchema,
      slug: slugSchema,
      description: descriptionSchema,
      topics: topicsSchema,
      metadata: objectSchema,
      enableWebRTC: { type: 'boolean' },
    },
    ['name'],
  ),
);

export interface UpdateRoomBody {
  readonly name?: string;
  readonly description?: string | null;
  readonly status?: RoomStatus;
  readonly topics?: readonly string[];
  readonly metadata?: Metadata;
}

export const updateRoomSchema = titled(
  'RoomChanges',
  strictObject({
    name: nameSchema,
    description: descriptionSchema,
    status: activeOrDisabledSchema,
    topics: topicsSchema,
    metadata: objectSchema,
  }),
);
