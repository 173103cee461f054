import type { AuditPosition, AuditEntry } from '@roomwire/shared/ports/auditIndex';
import {
  anything,
  described,
  eitherOrNull,
  listOf,
  number,
  objectSchema,
  orNull,
  queryOf,
  record,
  strictObject,
  text,
  textOrNullSchema,
  textSchema,
  timeSchema,
  titled,
  uuidSchema,
  type ValueOf,
} from '../http/schema.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { PastRecord } from './auditReads.js';
import { withoutSecrets, type AttributedDifference, type RecordState } from './recordStates.js';

export type HistoryQuery = ValueOf<typeof historyQuerySchema>;

export const historyQuerySchema = queryOf({
  projectId: uuidSchema,
  resourceId: described(uuidSchema, 'A record that an event changed or names'),
  type: text({ maxLength: 100, description: 'For example `RoomCreated`' }),
  principal: text({ maxLength: 500, description: '`apiKey:<keyId>`, `session:<subject>` or `system`' }),
  from: described(timeSchema, 'Inclusive'),
  to: described(timeSchema, 'Inclusive'),
  limit: number({ description: 'Events on a page; clamped to 1-100', default: 50 }),
  cursor: text({
    maxLength: 80,
    pattern: '^\\d{1,16}\\.[\\d-]{1,60}$',
    description: '`nextCursor` of the previous page',
  }),
});

const nowByDefault = described(timeSchema, 'Now by default');

export const stateQuerySchema = queryOf({ resourceId: uuidSchema, at: nowByDefault }, ['resourceId']);

export const diffQuerySchema = queryOf({ resourceId: uuidSchema, from: timeSchema, to: nowByDefault }, [
  'resourceId',
  'from',
]);

export const cursorOf = ({ time, position }: AuditPosition): string => `${time}.${position}`;

export const placeOfCursor = (cursor: string): AuditPosition => {
  const [time = '', position = ''] = cursor.split('.');
  return { time: Number(time), position };
};

const changeFields = {
  eventId: uuidSchema,
  type: textSchema,
  occurredAt: timeSchema,
  principal: described(textSchema, 'The author: `apiKey:<keyId>`, `session:<subject>` or `system`'),
  requestId: textSchema,
};

export const changeSchema = record('Change', changeFields);

const resourceType = described(textSchema, 'For example `rooms`');

const entrySchema = record('AuditEvent', {
  ...changeFields,
  projectId: orNull(uuidSchema),
  resourceIds: described(listOf(textSchema), 'The records that the event created, changed or removed'),
  data: described(objectSchema, 'The data of the event, without hashes and encrypted secrets'),
});

export const historySchema = record('AuditPage', {
  data: listOf(entrySchema),
  nextCursor: described(
    textOrNullSchema,
    'Null on the last page. A page may have fewer events than its limit and not be the last.',
  ),
});

export const stateSchema = record('PastState', {
  resourceId: uuidSchema,
  resourceType,
  at: timeSchema,
  record: described(orNull(objectSchema), 'Null where it did not exist'),
  lastChange: eitherOrNull(changeSchema),
});

const valueThen = anything({ description: 'Absent where the field did not exist' });

const differenceSchema = titled(
  'Difference',
  strictObject(
    {
      path: described(textSchema, 'JSON Pointer'),
      before: valueThen,
      after: valueThen,
      change: changeSchema,
    },
    ['path', 'change'],
  ),
);

export const diffSchema = record('PastDifferences', {
  resourceId: uuidSchema,
  resourceType,
  from: timeSchema,
  to: timeSchema,
  differences: listOf(differenceSchema),
});

type ChangeAnswer = ValueOf<typeof changeSchema>;

const exampleChange: ChangeAnswer = {
  eventId: exampleIds.dlqId,
  type: 'RoomUpdated',
  occurredAt: exampleTime,
  principal: 'apiKey:ak_live_f70d12ad52d081a4fbe86809',
  requestId: 'req_7Yw2',
};

const { appId, projectId, roomId } = exampleIds;

export const exampleHistory: ValueOf<typeof historySchema> = {
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

export const exampleState: ValueOf<typeof stateSchema> = {
  resourceId: roomId,
  resourceType: 'rooms',
  at: exampleTime,
  record: { roomId, appId, projectId, name: 'Lobby', slug: 'lobby', status: 'active' },
  lastChange: exampleChange,
};

export const exampleDifferences: ValueOf<typeof diffSchema> = {
  resourceId: roomId,
  resourceType: 'rooms',
  from: exampleTime,
  to: exampleTime,
  differences: [{ path: '/name', before: 'Entrance', after: 'Lobby', change: exampleChange }],
};

/** Who did what, and when. */
export const presentChange = ({ id, type, metadata }: RecordedEvent): ChangeAnswer => ({
  eventId: id,
  type,
  occurredAt: metadata.occurredAt,
  principal: metadata.principal,
  requestId: metadata.requestId,
});

export const presentEntry = ({ event, changed }: AuditEntry): ValueOf<typeof entrySchema> => ({
  ...presentChange(event),
  projectId: event.metadata.projectId,
  resourceIds: changed.map(({ id }) => id),
  data: withoutSecrets(event.data as object),
});

export const presentState = (
  { view, id }: PastRecord,
  at: string,
  { record, lastChange }: RecordState,
): ValueOf<typeof stateSchema> => ({
  resourceId: id,
  resourceType: view,
  at,
  record: record ?? null,
  lastChange: lastChange ? presentChange(lastChange) : null,
});

export const presentDifferences = (
  { view, id }: PastRecord,
  times: { readonly from: string; readonly to: string },
  differences: readonly AttributedDifference[],
): ValueOf<typeof diffSchema> => ({
  resourceId: id,
  resourceType: view,
  ...times,
  differences: differences.map(({ change, ...difference }) => ({
    ...difference,
    change: presentChange(change),
  })),
});
