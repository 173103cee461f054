import type { AuditPosition, AuditEntry } from '@roomwire/shared/ports/auditIndex';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import type { PastRecord } from './auditReads.js';
import type { AttributedDifference, RecordState } from './recordStates.js';
import { shown, shownAt } from './shown.js';
import * as s from '../http/schema.js';

export type HistoryQuery = s.ValueOf<typeof historyQuerySchema>;

export const historyQuerySchema = s.queryOf({
  projectId: s.uuid,
  resourceId: s.described(s.uuid, 'A record that an event changed or names'),
  type: s.text({ maxLength: 100, description: 'For example `RoomCreated`' }),
  principal: s.text({ maxLength: 500, description: '`apiKey:<keyId>`, `session:<subject>` or `system`' }),
  from: s.described(s.time, 'Inclusive'),
  to: s.described(s.time, 'Inclusive'),
  limit: s.number({ description: 'Events on a page; clamped to 1-100', default: 50 }),
  cursor: s.text({
    maxLength: 80,
    pattern: '^\\d{1,16}\\.[\\d-]{1,60}$',
    description: '`nextCursor` of the previous page',
  }),
});

const nowByDefault = s.described(s.time, 'Now by default');

export const stateQuerySchema = s.queryOf({ resourceId: s.uuid, at: nowByDefault }, ['resourceId']);

export const diffQuerySchema = s.queryOf({ resourceId: s.uuid, from: s.time, to: nowByDefault }, [
  'resourceId',
  'from',
]);

export const cursorOf = ({ time, position }: AuditPosition): string => `${time}.${position}`;

export const placeOfCursor = (cursor: string): AuditPosition => {
  const [time = '', position = ''] = cursor.split('.');
  return { time: Number(time), position };
};

const changeFields = {
  eventId: s.uuid,
  type: s.text(),
  occurredAt: s.time,
  principal: s.text({ description: 'The author: `apiKey:<keyId>`, `session:<subject>` or `system`' }),
  requestId: s.text(),
};

export const changeSchema = s.titledObject('Change', changeFields);

const resourceType = s.text({ description: 'For example `rooms`' });

const entrySchema = s.titledObject('AuditEvent', {
  ...changeFields,
  projectId: s.orNull(s.uuid),
  resourceIds: s.described(s.listOf(s.text()), 'The records that the event created, changed or removed'),
  data: s.described(
    s.object,
    'The data of the event, without hashes and encrypted secrets; values of webhook headers and of query parameters are `[hidden]`',
  ),
});

export const historySchema = s.titledObject('AuditPage', {
  data: s.listOf(entrySchema),
  nextCursor: s.described(
    s.orNull(s.text()),
    'Null on the last page. A page may have fewer events than its limit and not be the last.',
  ),
});

export const stateSchema = s.titledObject('PastState', {
  resourceId: s.uuid,
  resourceType,
  at: s.time,
  record: s.described(s.orNull(s.object), 'Null where it did not exist'),
  lastChange: s.eitherOrNull(changeSchema),
});

const valueThen = s.anything({ description: 'Absent where the field did not exist' });

const differenceSchema = s.titled(
  'Difference',
  s.strictObject(
    {
      path: s.text({ description: 'JSON Pointer' }),
      before: valueThen,
      after: valueThen,
      change: changeSchema,
    },
    ['path', 'change'],
  ),
);

export const diffSchema = s.titledObject('PastDifferences', {
  resourceId: s.uuid,
  resourceType,
  from: s.time,
  to: s.time,
  differences: s.listOf(differenceSchema),
});

type ChangeAnswer = s.ValueOf<typeof changeSchema>;

const exampleChange: ChangeAnswer = {
  eventId: exampleIds.dlqId,
  type: 'RoomUpdated',
  occurredAt: exampleTime,
  principal: 'apiKey:ak_live_f70d12ad52d081a4fbe86809',
  requestId: 'req_7Yw2',
};

const { appId, projectId, roomId } = exampleIds;

export const exampleHistory: s.ValueOf<typeof historySchema> = {
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

export const exampleState: s.ValueOf<typeof stateSchema> = {
  resourceId: roomId,
  resourceType: 'rooms',
  at: exampleTime,
  record: { roomId, appId, projectId, name: 'Lobby', slug: 'lobby', status: 'active' },
  lastChange: exampleChange,
};

export const exampleDifferences: s.ValueOf<typeof diffSchema> = {
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

export const presentEntry = ({ event, changed }: AuditEntry): s.ValueOf<typeof entrySchema> => ({
  ...presentChange(event),
  projectId: event.metadata.projectId,
  resourceIds: changed.map(({ id }) => id),
  data: shown(event.data as object),
});

export const presentState = (
  { view, id }: PastRecord,
  at: string,
  { record, lastChange }: RecordState,
): s.ValueOf<typeof stateSchema> => ({
  resourceId: id,
  resourceType: view,
  at,
  record: record ? shown(record) : null,
  lastChange: lastChange ? presentChange(lastChange) : null,
});

export const presentDifferences = (
  { view, id }: PastRecord,
  times: { readonly from: string; readonly to: string },
  differences: readonly AttributedDifference[],
): s.ValueOf<typeof diffSchema> => ({
  resourceId: id,
  resourceType: view,
  ...times,
  differences: differences.map(({ path, before, after, change }) => ({
    path,
    before: shownAt(path, before),
    after: shownAt(path, after),
    change: presentChange(change),
  })),
});
