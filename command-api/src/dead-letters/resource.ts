import {
  type CallPayload,
  deadLetterKinds,
  deadLetterStatuses,
  type DeadLetter,
} from '@roomwire/shared/domain/deadLetter';
import { loadCallPayload, type CallPayloadDeps } from '@roomwire/shared/runtime/callPayloads';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { cascadeFilter } from '@roomwire/shared/wire/views/cascades';
import { clampedLimit } from '../http/clampedLimit.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import type { ViewFilter, ViewReader } from '@roomwire/shared/ports/viewStore';
import { newestFirst } from '../http/listing.js';
import * as s from '../http/schema.js';

export type DeadLettersQuery = s.ValueOf<typeof deadLettersQuerySchema>;

export const deadLettersQuerySchema = s.queryOf({
  kind: s.oneOf(deadLetterKinds),
  projectId: s.uuid,
  appId: s.uuid,
  url: s.text({ maxLength: 2048, description: 'The whole URL, as it was configured' }),
  status: s.oneOf(deadLetterStatuses),
  from: s.described(s.time, 'Recorded at or after this time'),
  to: s.described(s.time, 'Recorded at or before this time'),
  limit: s.number({ description: 'Entries on a page; clamped to 1-100', default: 50 }),
  offset: s.integer({ minimum: 0, maximum: 1_000_000_000, default: 0 }),
});

export const redriveQuerySchema = s.queryOf({
  wait: s.oneOf(['true', 'false'], {
    description: '`true`: the answer waits for the outcome, 30 s at most, and is 200 with it',
  }),
});

/** A client that has more sends another request. */
export const mostRedriven = limitTable.redrivenAtOnce.value;

export type RedriveBody = s.ValueOf<typeof redriveBodySchema>;

/** Which entries are redriven: those that match every field that is set. Entries that are marked dead never are. */
export const redriveBodySchema = s.titled(
  'RedriveFilter',
  s.strictObject({
    status: s.oneOf(['pending', 'failed']),
    projectId: s.uuid,
    appId: s.uuid,
    from: s.described(s.time, 'Recorded at or after this time'),
    to: s.described(s.time, 'Recorded at or before this time'),
    limit: s.integer({
      minimum: 1,
      maximum: mostRedriven,
      default: mostRedriven,
      description: 'Maximum number of entries, the oldest first',
    }),
    dryRun: s.flag({ default: true }),
  }),
);

const deadLetterFields = {
  dlqId: s.uuid,
  organizationId: s.uuid,
  projectId: s.uuid,
  appId: s.uuid,
  kind: s.oneOf(deadLetterKinds, {
    description:
      'What failed: the call of a trigger, that of a room event, a job of a worker group, or a scheduled publish',
  }),
  url: s.described(
    s.orNull(s.text()),
    'Values in its query are `[hidden]` from viewers; null for a job or a scheduled publish',
  ),
  requestHeaders: s.described(s.dictionaryOf(s.text()), 'The values are `[hidden]` from viewers'),
  requestBody: s.anything({
    description:
      '`{ roomName, topicName, actorId, data, scope }` or the body of a room event, as it was sent, or would have been for a job or a scheduled publish; null where it is not kept any more',
  }),
  responseStatus: s.described(s.orNull(s.integer()), 'Null where there was no response'),
  error: s.text(),
  retryCount: s.count,
  status: s.oneOf(deadLetterStatuses, {
    description:
      '`pending` may succeed later, `failed` was rejected by the endpoint, `dead` was given up manually',
  }),
  redriveCount: s.described(s.count, 'Number of redrives'),
  lastRedriveAt: s.orNull(s.time),
  lastRedriveBy: s.described(s.orNull(s.text()), '`session:<subject>` or `oidc:<issuer>|<subject>`'),
  createdAt: s.time,
  updatedAt: s.time,
} as const;

export const deadLetterSchema = s.titled(
  'DeadLetter',
  s.strictObject(
    {
      ...deadLetterFields,
      group: s.text({ description: 'Of a job: the name of its worker group' }),
      sequence: s.integer({ minimum: 1, description: 'Of a room event' }),
      scheduledId: s.text({ description: 'Of a scheduled publish' }),
      payloadExpired: s.flag({
        description: 'Present where headers and body are not kept any more: the entry cannot be redriven',
      }),
    },
    Object.keys(deadLetterFields) as (keyof typeof deadLetterFields)[],
  ),
);

export const deadLetterPageSchema = s.titledObject('DeadLetterPage', {
  data: s.listOf(deadLetterSchema),
  pagination: s.titledObject('DeadLetterPagination', {
    total: s.count,
    limit: s.count,
    offset: s.count,
  }),
});

export const pendingCountSchema = s.titledObject('PendingCount', { count: s.count });

export const redriveSchema = s.titledObject('Redrive', {
  matched: s.described(s.count, 'Entries that match the filter, up to the limit'),
  redriven: s.described(s.count, 'Matched entries that are redriven; 0 for a dry run'),
  dryRun: s.flag(),
  dlqIds: s.described(s.listOf(s.uuid), 'The entries, the oldest first'),
});

export const redriveOutcomeSchema = s.titledObject('RedriveOutcome', {
  delivered: s.flag({
    description:
      'Whether a call got its 2xx, a job is back in its group, or a publish was made; false also where that is not known in time',
  }),
  responseStatus: s.described(s.orNull(s.integer()), 'Null where there was no response, or none in time'),
  error: s.described(s.orNull(s.text()), 'Null where it was delivered, or nothing is known in time'),
});

export const exampleRedriveOutcome = { delivered: true, responseStatus: 204, error: null };

type DeadLetterAnswer = s.ValueOf<typeof deadLetterSchema>;

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

export const presentDeadLetter = (entry: DeadLetter, sent: CallPayload | undefined): DeadLetterAnswer => ({
  dlqId: entry.dlqId,
  organizationId: entry.organizationId,
  projectId: entry.projectId,
  appId: entry.appId,
  kind: entry.kind,
  url: entry.url,
  ...(entry.group !== undefined && { group: entry.group }),
  ...(entry.sequence !== undefined && { sequence: entry.sequence }),
  ...(entry.scheduledId !== undefined && { scheduledId: entry.scheduledId }),
  requestHeaders: sent?.requestHeaders ?? {},
  requestBody: sent?.requestBody ?? null,
  ...(sent === undefined && { payloadExpired: true }),
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

/** Presents an entry with what its call sent. */
export type PresentDeadLetter = (entry: DeadLetter) => Promise<DeadLetterAnswer>;

export const createPresenter =
  (deps: CallPayloadDeps): PresentDeadLetter =>
  async (entry) =>
    presentDeadLetter(entry, await loadCallPayload(deps, entry));

/** The entries of an organization, without those that are still to be removed with their projects. */
export const entriesOf = async (views: ViewReader, organizationId: string): Promise<ViewFilter> => {
  const cascades = await views.find('cascades', { filter: { organizationId, owner: 'projectId' } });
  return { organizationId, ...(cascades.length > 0 && { $nor: cascades.map(cascadeFilter) }) };
};

/** What clients choose entries by, in whatever request. */
type Chosen = Pick<DeadLettersQuery, 'kind' | 'projectId' | 'appId' | 'url' | 'from' | 'to'>;

export const chosenFilter = ({ kind, projectId, appId, url, from, to }: Chosen): ViewFilter => ({
  ...(kind !== undefined && { kind }),
  ...(projectId !== undefined && { projectId: projectId.toLowerCase() }),
  ...(appId !== undefined && { appId: appId.toLowerCase() }),
  ...(url !== undefined && { url }),
  ...((from !== undefined || to !== undefined) && { createdAt: between(from, to) }),
});

/** Stored times sort as text. */
const between = (from: string | undefined, to: string | undefined) => ({
  ...(from !== undefined && { $gte: s.normalTime(from) }),
  ...(to !== undefined && { $lte: s.normalTime(to) }),
});

/** Entries of an organization, newest first: `{ data, pagination: { total, limit, offset } }`. */
export const findDeadLetters = async (
  views: ViewReader,
  present: PresentDeadLetter,
  organizationId: string,
  query: DeadLettersQuery,
) => {
  const { status, offset = 0, ...chosen } = query;
  const limit = clampedLimit(query.limit ?? 50, 100);
  const entries = await entriesOf(views, organizationId);
  const filter = { ...entries, ...chosenFilter(chosen), ...(status === undefined ? {} : { status }) };
  const [total, page] = await Promise.all([
    views.count('deadLetters', filter),
    views.find('deadLetters', { filter, sort: newestFirst, skip: offset, limit }),
  ]);
  const data = presentInTurn(page, present);
  return { data, pagination: { total, limit, offset } };
};

/** Each is loaded when the one before has been sent: a payload may be a megabyte. */
async function* presentInTurn(
  entries: readonly DeadLetter[],
  present: PresentDeadLetter,
): AsyncIterable<DeadLetterAnswer> {
  for (const entry of entries) yield await present(entry);
}
