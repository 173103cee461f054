import type { AuditPlace, AuditEntry } from '@roomwire/shared/ports/auditIndex';
import {
  timeSchema,
  uuidSchema,
  listOf,
  objectSchema,
  record,
  strictObject,
  textOrNullSchema,
  textSchema,
} from '../http/schema.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { PastRecord } from './auditReads.js';
import { withoutSecrets, type AttributedDifference, type RecordState } from './recordStates.js';

export interface HistoryQuery {
  readonly projectId?: string;
  readonly resourceId?: string;
  readonly type?: string;
  readonly principal?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

export const historyQuerySchema = {
  type: 'object',
  properties: {
    projectId: uuidSchema,
    resourceId: { ...uuidSchema, description: 'A record that was changed, or that an event names' },
    type: { type: 'string', maxLength: 100, description: 'As `RoomCreated`' },
    principal: {
      type: 'string',
      maxLength: 500,
      description: '`apiKey:<keyId>`, `session:<subject>` or `system`',
    },
    from: { ...timeSchema, description: 'Inclusive' },
    to: { ...timeSchema, description: 'Inclusive' },
    limit: { description: 'Events on a page; clamped to 1-100', type: 'number', default: 50 },
    cursor: {
      type: 'string',
      maxLength: 80,
      pattern: '^\\d{1,16}\\.[\\d-]{1,60}$',
      description: '`nextCursor` of the page before',
    },
  },
};

export interface StateQuery {
  readonly resourceId: string;
  readonly at?: string;
}

export const stateQuerySchema = {
  type: 'object',
  properties: { resourceId: uuidSchema, at: { ...timeSchema, description: 'Now, unless told' } },
  required: ['resourceId'],
};

export interface DiffQuery {
  readonly resourceId: string;
  readonly from: string;
  readonly to?: string;
}

export const diffQuerySchema = {
  type: 'object',
  properties: {
    resourceId: uuidSchema,
    from: timeSchema,
    to: { ...timeSchema, description: 'Now, unless told' },
  },
  required: ['resourceId', 'from'],
};

export const cursorOf = ({ time, position }: AuditPlace): string => `${time}.${position}`;

export const placeOfCursor = (cursor: string): AuditPlace => {
  const [time = '', position = ''] = cursor.split('.');
  return { time: Number(time), position };
};

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

/** Who did what, and when. */
export const presentChange = ({ id, type, metadata }: RecordedEvent) => ({
  eventId: id,
  type,
  occurredAt: metadata.occurredAt,
  principal: metadata.principal,
  requestId: metadata.requestId,
});

export const presentEntry = ({ event, changed }: AuditEntry) => ({
  ...presentChange(event),
  projectId: event.metadata.projectId,
  resourceIds: changed.map(({ id }) => id),
  data: withoutSecrets(event.data as object),
});

export const presentState = ({ view, id }: PastRecord, at: string, { record, lastChange }: RecordState) => ({
  resourceId: id,
  resourceType: view as string,
  at,
  record: record ?? null,
  lastChange: lastChange ? presentChange(lastChange) : null,
});

export const presentDifferences = (
  { view, id }: PastRecord,
  times: { readonly from: string; readonly to: string },
  differences: readonly AttributedDifference[],
) => ({
  resourceId: id,
  resourceType: view as string,
  ...times,
  differences: differences.map(({ change, ...difference }) => ({
    ...difference,
    change: presentChange(change),
  })),
});
