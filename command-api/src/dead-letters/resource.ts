import {
  deadLetterStatuses,
  type DeadLetterStatus,
  type DeadLetter,
} from '@roomwire/shared/domain/dead-letters/deadLetter';
import type { JsonSchema } from '../http/route.js';
import {
  strictObject,
  timeSchema,
  titled,
  uuidSchema,
  countSchema,
  flagSchema,
  listOf,
  orNull,
  record,
  textSchema,
} from '../http/schema.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { newestFirst } from '../http/listing.js';

export interface DeadLettersQuery {
  readonly status?: DeadLetterStatus;
  /** Clamped to 1-100, 50 when absent. */
  readonly limit?: number;
  readonly offset?: number;
}

export const deadLettersQuerySchema: JsonSchema = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: [...deadLetterStatuses] },
    limit: { description: 'Entries on a page; clamped to 1-100', type: 'number', default: 50 },
    offset: { type: 'integer', minimum: 0, maximum: 1_000_000_000, default: 0 },
  },
};

/** Of one request: whoever has more asks again. */
export const mostRedriven = 1_000;

/** Which entries are tried again, all that are given together; those that are marked dead never are. */
export interface RedriveBody {
  readonly status?: 'pending' | 'failed';
  readonly projectId?: string;
  readonly appId?: string;
  /** When they were recorded, both inclusive. */
  readonly from?: string;
  readonly to?: string;
  /** The oldest of them. */
  readonly limit?: number;
  /** True when absent: says what would be tried again. */
  readonly dryRun?: boolean;
}

export const redriveBodySchema: JsonSchema = titled(
  'RedriveFilter',
  strictObject({
    status: { type: 'string', enum: ['pending', 'failed'] },
    projectId: uuidSchema,
    appId: uuidSchema,
    from: { ...timeSchema, description: 'Recorded then or later' },
    to: { ...timeSchema, description: 'Recorded then or before' },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: mostRedriven,
      default: mostRedriven,
      description: 'At most so many, the oldest',
    },
    dryRun: { type: 'boolean', default: true },
  }),
);

export const deadLetterSchema = record('DeadLetter', {
  dlqId: uuidSchema,
  organizationId: uuidSchema,
  projectId: uuidSchema,
  appId: uuidSchema,
  kind: { type: 'string', enum: ['trigger'] },
  url: textSchema,
  requestHeaders: { type: 'object', additionalProperties: textSchema },
  requestBody: { description: '`{ roomName, topicName, actorId, data, scope }`, as it was sent' },
  responseStatus: { ...orNull({ type: 'integer' }), description: 'Null where no answer came' },
  error: textSchema,
  retryCount: countSchema,
  status: {
    type: 'string',
    enum: [...deadLetterStatuses],
    description: '`pending` could succeed later, `failed` was refused, `dead` was given up by hand',
  },
  redriveCount: { ...countSchema, description: 'How often it was tried again by hand' },
  lastRedriveAt: orNull(timeSchema),
  lastRedriveBy: { ...orNull(textSchema), description: '`session:<subject>`' },
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
  matched: { ...countSchema, description: 'Entries that fit the filter, as many as the limit takes' },
  redriven: { ...countSchema, description: 'Of these, the ones that are tried again now; 0 of a dry run' },
  dryRun: flagSchema,
  dlqIds: { ...listOf(uuidSchema), description: 'The entries, the oldest first' },
});

export const exampleRedrive = {
  body: { status: 'pending', from: exampleTime, limit: 100, dryRun: false },
  answer: { matched: 1, redriven: 1, dryRun: false, dlqIds: [exampleIds.dlqId] },
};

export const exampleDeadLetter: ReturnType<typeof presentDeadLetter> = {
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

export const presentDeadLetter = (entry: DeadLetter) => ({
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
export const findDeadLetters = async (views: ViewStore, organizationId: string, query: DeadLettersQuery) => {
  const { status, offset = 0 } = query;
  const limit = Math.min(100, Math.max(1, Math.trunc(query.limit ?? 50)));
  const filter = { organizationId, ...(status === undefined ? {} : { status }) };
  const [total, entries] = await Promise.all([
    views.count('deadLetters', filter),
    views.find('deadLetters', { filter, sort: newestFirst, skip: offset, limit }),
  ]);
  return { data: entries.map(presentDeadLetter), pagination: { total, limit, offset } };
};
