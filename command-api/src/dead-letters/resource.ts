import { deadLetterStatuses, type DeadLetter } from '@roomwire/shared/domain/dead-letters/deadLetter';
import {
  anything,
  countSchema,
  described,
  dictionaryOf,
  flag,
  flagSchema,
  integer,
  listOf,
  number,
  oneOf,
  orNull,
  queryOf,
  record,
  strictObject,
  textSchema,
  timeSchema,
  titled,
  uuidSchema,
  type ValueOf,
} from '../http/schema.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { newestFirst } from '../http/listing.js';

export type DeadLettersQuery = ValueOf<typeof deadLettersQuerySchema>;

export const deadLettersQuerySchema = queryOf({
  status: oneOf(deadLetterStatuses),
  limit: number({ description: 'Entries on a page; clamped to 1-100', default: 50 }),
  offset: integer({ minimum: 0, maximum: 1_000_000_000, default: 0 }),
});

/** In one request; a client that has more sends another. */
export const mostRedriven = 1_000;

export type RedriveBody = ValueOf<typeof redriveBodySchema>;

/** Which entries are redriven: those that match every field that is set. Entries that are marked dead never are. */
export const redriveBodySchema = titled(
  'RedriveFilter',
  strictObject({
    status: oneOf(['pending', 'failed']),
    projectId: uuidSchema,
    appId: uuidSchema,
    from: described(timeSchema, 'Recorded at or after this time'),
    to: described(timeSchema, 'Recorded at or before this time'),
    limit: integer({
      minimum: 1,
      maximum: mostRedriven,
      default: mostRedriven,
      description: 'Maximum number of entries, the oldest first',
    }),
    dryRun: flag({ default: true }),
  }),
);

export const deadLetterSchema = record('DeadLetter', {
  dlqId: uuidSchema,
  organizationId: uuidSchema,
  projectId: uuidSchema,
  appId: uuidSchema,
  kind: oneOf(['trigger']),
  url: textSchema,
  requestHeaders: dictionaryOf(textSchema),
  requestBody: anything({ description: '`{ roomName, topicName, actorId, data, scope }`, as it was sent' }),
  responseStatus: described(orNull(integer()), 'Null where there was no response'),
  error: textSchema,
  retryCount: countSchema,
  status: oneOf(deadLetterStatuses, {
    description:
      '`pending` may succeed later, `failed` was rejected by the endpoint, `dead` was given up manually',
  }),
  redriveCount: described(countSchema, 'Number of redrives'),
  lastRedriveAt: orNull(timeSchema),
  lastRedriveBy: described(orNull(textSchema), '`session:<subject>`'),
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

export const deadLetterPageSchema = record('DeadLetterPage', {
  data: listOf(deadLetterSchema),
  pagination: record('DeadLetterPagination', {
    total: countSchema,
    limit: countSchema,
    offset: countSchema,
  }),
});

export const pendingCountSchema = record('PendingCount', { count: countSchema });

export const redriveSchema = record('Redrive', {
  matched: described(countSchema, 'Entries that match the filter, up to the limit'),
  redriven: described(countSchema, 'Matched entries that are redriven; 0 for a dry run'),
  dryRun: flagSchema,
  dlqIds: described(listOf(uuidSchema), 'The entries, the oldest first'),
});

type DeadLetterAnswer = ValueOf<typeof deadLetterSchema>;

export const exampleRedrive = {
  body: { status: 'pending', from: exampleTime, limit: 100, dryRun: false },
  answer: { matched: 1, redriven: 1, dryRun: false, dlqIds: [exampleIds.dlqId] },
} as const;

export const exampleDeadLetter: DeadLetterAnswer = {
  dlqId: exampleIds.dlqId,
  organizationId: exampleIds.organizationId,
  projectId: exampleIds.projectId,
  appId: exampleIds.appId,
  kind: 'trigger',
  url: 'https://example.com/hooks/published',
  requestHeaders: { 'X-Api-Key': 'secret' },
  requestBody: {
    roomName: 'lobby',
    topicName: 'chat',
    actorId: exampleIds.actorTokenId,
    data: { text: 'hello' },
    scope: null,
  },
  responseStatus: 503,
  error: 'The endpoint answered 503',
  retryCount: 2,
  status: 'pending',
  redriveCount: 0,
  lastRedriveAt: null,
  lastRedriveBy: null,
  createdAt: exampleTime,
  updatedAt: exampleTime,
};

export const exampleDeadLetterPage = {
  data: [exampleDeadLetter],
  pagination: { total: 1, limit: 50, offset: 0 },
};

export const presentDeadLetter = (entry: DeadLetter): DeadLetterAnswer => ({
  dlqId: entry.dlqId,
  organizationId: entry.organizationId,
  projectId: entry.projectId,
  appId: entry.appId,
  kind: entry.kind,
  url: entry.url,
  requestHeaders: entry.requestHeaders,
  requestBody: entry.requestBody,
  responseStatus: entry.responseStatus,
  error: entry.error,
  retryCount: entry.retryCount,
  status: entry.status,
  redriveCount: entry.redriveCount,
  lastRedriveAt: entry.lastRedriveAt,
  lastRedriveBy: entry.lastRedriveBy,
  createdAt: entry.createdAt,
  updatedAt: entry.updatedAt,
});

/** Entries of an organization, newest first: `{ data, pagination: { total, limit, offset } }`. */
export const findDeadLetters = async (views: ViewReader, organizationId: string, query: DeadLettersQuery) => {
  const { status, offset = 0 } = query;
  const limit = Math.min(100, Math.max(1, Math.trunc(query.limit ?? 50)));
  const filter = { organizationId, ...(status === undefined ? {} : { status }) };
  const [total, entries] = await Promise.all([
    views.count('deadLetters', filter),
    views.find('deadLetters', { filter, sort: newestFirst, skip: offset, limit }),
  ]);
  return { data: entries.map(presentDeadLetter), pagination: { total, limit, offset } };
};
