import { deadLetterStatuses } from '@roomwire/shared/domain/dead-letters/deadLetter';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import {
  countSchema,
  flagSchema,
  listOf,
  orNull,
  record,
  textSchema,
  timeSchema,
  uuidSchema,
} from '../http/schema.js';
import type { presentDeadLetter } from './present.js';

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
