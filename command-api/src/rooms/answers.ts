import { roomStatuses } from '@roomwire/shared/domain/rooms/room';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import {
  flagSchema,
  listOf,
  objectSchema,
  record,
  textOrNullSchema,
  textSchema,
  timeSchema,
  uuidSchema,
} from '../http/schema.js';
import type { presentRoom } from './present.js';

export const roomSchema = record('Room', {
  roomId: uuidSchema,
  appId: uuidSchema,
  name: textSchema,
  slug: { ...textSchema, description: 'A segment of topic addresses' },
  description: textOrNullSchema,
  topics: listOf(textSchema),
  metadata: objectSchema,
  status: { type: 'string', enum: [...roomStatuses] },
  isStatic: { ...flagSchema, description: 'Whether a blueprint made it' },
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

export const exampleNewRoom = { name: 'Lobby', topics: ['chat', 'typing'], metadata: { floor: 1 } };

export const exampleRoom: ReturnType<typeof presentRoom> = {
  roomId: exampleIds.roomId,
  appId: exampleIds.appId,
  ...exampleNewRoom,
  slug: 'lobby',
  description: null,
  status: 'active',
  isStatic: false,
  createdAt: exampleTime,
  updatedAt: exampleTime,
};
