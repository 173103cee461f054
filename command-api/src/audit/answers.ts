import { exampleIds, exampleTime } from '../http/exampleValues.js';
import {
  listOf,
  objectSchema,
  record,
  strictObject,
  textOrNullSchema,
  textSchema,
  timeSchema,
  uuidSchema,
} from '../http/schema.js';
import type { presentChange, presentDifferences, presentEntry, presentState } from './present.js';

const changeFields = {
  eventId: uuidSchema,
  type: textSchema,
  occurredAt: timeSchema,
  principal: { ...textSchema, description: 'Who asked: `apiKey:<keyId>`, `session:<subject>` or `system`' },
  requestId: textSchema,
};

export const changeSchema = record('Change', changeFields);

const resourceType = { ...textSchema, description: 'As `rooms`' };

export const historySchema = record('AuditPage', {
  data: listOf(
    record('AuditEvent', {
      ...changeFields,
      projectId: { ...uuidSchema, type: ['string', 'null'] },
      resourceIds: { ...listOf(textSchema), description: 'The records that it made, changed or removed' },
      data: { ...objectSchema, description: 'What happened, without hashes and sealed secrets' },
    }),
  ),
  nextCursor: {
    ...textOrNullSchema,
    description: 'Null on the last page. A page may have fewer events than its limit and not be the last.',
  },
});

export const stateSchema = record('PastState', {
  resourceId: uuidSchema,
  resourceType,
  at: timeSchema,
  record: { type: ['object', 'null'], description: 'Null while it was not there' },
  lastChange: { oneOf: [changeSchema, { type: 'null' }] },
});

const anything = { description: 'Absent where there was none' };

export const diffSchema = record('PastDifferences', {
  resourceId: uuidSchema,
  resourceType,
  from: timeSchema,
  to: timeSchema,
  differences: listOf({
    title: 'Difference',
    ...strictObject(
      {
        path: { ...textSchema, description: 'JSON Pointer' },
        before: anything,
        after: anything,
        change: changeSchema,
      },
      ['path', 'change'],
    ),
  }),
});

const exampleChange: ReturnType<typeof presentChange> = {
  eventId: exampleIds.dlqId,
  type: 'RoomUpdated',
  occurredAt: exampleTime,
  principal: 'apiKey:ak_live_f70d12ad52d081a4fbe86809',
  requestId: 'req_7Yw2',
};

const { appId, projectId, roomId } = exampleIds;

export const exampleHistory: {
  readonly data: readonly ReturnType<typeof presentEntry>[];
  readonly nextCursor: string;
} = {
  data: [
    {
      ...exampleChange,
      projectId,
      resourceIds: [roomId],
      data: { appId, roomId, changes: { name: 'Lobby' } },
    },
  ],
  nextCursor: '1795244912345.0000000000000042',
};

export const exampleState: ReturnType<typeof presentState> = {
  resourceId: roomId,
  resourceType: 'rooms',
  at: exampleTime,
  record: { roomId, appId, projectId, name: 'Lobby', slug: 'lobby', status: 'active' },
  lastChange: exampleChange,
};

export const exampleDifferences: ReturnType<typeof presentDifferences> = {
  resourceId: roomId,
  resourceType: 'rooms',
  from: exampleTime,
  to: exampleTime,
  differences: [{ path: '/name', before: 'Entrance', after: 'Lobby', change: exampleChange }],
};
