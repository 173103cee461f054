import type { JobGroup, JobOptions, PeekedJob } from '@roomwire/shared/ports/jobGroups';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { messageParts } from '@roomwire/shared/wire/protocol/messageParts';
import { clampedLimit } from '../http/clampedLimit.js';
import { dataFields, presentData } from '../history/resource.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import * as s from '../http/schema.js';

const usualOptions: JobOptions = { prefetch: 100, ackSeconds: 60, maxDeliveries: 5 };

const prefetch = s.integer({
  minimum: 1,
  maximum: 1_000,
  description: 'Jobs that a member has not acknowledged, at most',
});
const ackSeconds = s.integer({
  minimum: 5,
  maximum: 3_600,
  description: 'After these, a job goes to another member',
});
const maxDeliveries = s.integer({
  minimum: 1,
  maximum: 100,
  description: 'After these, a job is a dead letter',
});

const givenOptions = s.strictObject({
  prefetch: { ...prefetch, default: usualOptions.prefetch },
  ackSeconds: { ...ackSeconds, default: usualOptions.ackSeconds },
  maxDeliveries: { ...maxDeliveries, default: usualOptions.maxDeliveries },
});

export const createJobGroupSchema = s.titled(
  'NewJobGroup',
  s.strictObject(
    {
      topic: s.described(s.topicName, 'The name of the topic in the room'),
      name: s.described(
        s.text({ minLength: 1, maxLength: limitTable.groupNameLength.value }),
        'The `loadBalanceGroup` of its members',
      ),
      scope: s.described(s.orNull(s.uuid), 'An `accessScopeId`; null, or left out, outside of every scope'),
      jobs: s.described(givenOptions, 'How its jobs are handed out; replaced by each call'),
    },
    ['topic', 'name'],
  ),
);

export type CreateJobGroupBody = s.ValueOf<typeof createJobGroupSchema>;

export const optionsOf = ({ jobs = {} }: CreateJobGroupBody): JobOptions => ({ ...usualOptions, ...jobs });

export const jobGroupSchema = s.titledObject('JobGroup', {
  groupId: s.uuid,
  topic: s.text(),
  name: s.text(),
  scope: s.orNull(s.uuid),
  jobs: s.titledObject('JobOptions', { prefetch, ackSeconds, maxDeliveries }),
  depth: s.described(s.count, 'Jobs that are not settled, those in flight among them'),
  inFlight: s.described(s.count, 'Jobs that members have, and have not acknowledged'),
  oldestAt: s.described(s.orNull(s.time), 'When the oldest of its jobs was published; null without any'),
  members: s.described(s.count, 'Connections, on all gateways'),
  createdAt: s.time,
});

type JobGroupAnswer = s.ValueOf<typeof jobGroupSchema>;

const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString();

export const presentJobGroup = (group: JobGroup): JobGroupAnswer => ({
  groupId: group.groupId,
  topic: group.topic,
  name: group.name,
  scope: group.accessScopeId,
  jobs: group.options,
  depth: group.depth,
  inFlight: group.inFlight,
  oldestAt: group.oldestAt === null ? null : timeOf(group.oldestAt),
  members: group.members,
  createdAt: timeOf(group.createdAt),
});

export const exampleNewJobGroup = {
  topic: 'chat',
  name: 'thumbnails',
  jobs: { ackSeconds: 120, maxDeliveries: 3 },
};

export const exampleJobGroup: JobGroupAnswer = {
  groupId: exampleIds.groupId,
  topic: 'chat',
  name: 'thumbnails',
  scope: null,
  jobs: { prefetch: 100, ackSeconds: 120, maxDeliveries: 3 },
  depth: 0,
  inFlight: 0,
  oldestAt: null,
  members: 0,
  createdAt: exampleTime,
};

export const jobGroupPageQuery = s.queryOf({
  limit: s.number({ description: 'Groups on a page; clamped to 1-1000', default: 100 }),
  cursor: s.text({ format: 'uuid', description: '`next` of the previous page' }),
});

export const jobGroupPageSchema = s.titledObject('JobGroupPage', {
  data: s.listOf(jobGroupSchema),
  next: s.described(s.orNull(s.text()), 'For the next page; null on the last one'),
});

/** Of groups in the order of their ids. */
export const jobGroupPage = (
  groups: readonly JobGroup[],
  { limit = 100, cursor = '' }: s.ValueOf<typeof jobGroupPageQuery>,
): s.ValueOf<typeof jobGroupPageSchema> => {
  const most = clampedLimit(limit, limitTable.listRecords.value);
  const behind = groups.filter(({ groupId }) => groupId > cursor.toLowerCase());
  const page = behind.slice(0, most);
  return {
    data: page.map(presentJobGroup),
    next: behind.length > most ? (page.at(-1)?.groupId ?? null) : null,
  };
};

export const peekQuery = s.queryOf({
  limit: s.number({ description: 'Jobs; clamped to 1-100. Those beyond 1 MiB are left out', default: 10 }),
});

export const peekLimitOf = ({ limit = 10 }: s.ValueOf<typeof peekQuery>): number =>
  clampedLimit(limit, limitTable.peekedJobs.value);

const peekedJobSchema = s.titled(
  'WaitingJob',
  s.strictObject(
    {
      msgId: s.text(),
      at: s.described(s.time, 'When it was accepted'),
      actorTokenId: s.described(s.orNull(s.text()), 'Of its publisher; null for a backend'),
      deliveries: s.described(s.count, 'How often it has been handed out'),
      filter: s.described(s.orNull(s.text()), 'Null where it was published without one'),
      ...dataFields,
    },
    ['msgId', 'at', 'actorTokenId', 'deliveries', 'filter', 'data'],
  ),
);

export const peekedSchema = s.titledObject('WaitingJobs', { data: s.listOf(peekedJobSchema) });

export const presentPeeked = ({
  msgId,
  at,
  from,
  deliveries,
  body,
}: PeekedJob): s.ValueOf<typeof peekedJobSchema> => {
  const { filter, data } = messageParts(body);
  return { ...{ msgId, at: timeOf(at), actorTokenId: from, deliveries, filter }, ...presentData(data) };
};

export const examplePeeked = {
  data: [
    {
      ...{ msgId: 'm9v1k2s4t0001', at: exampleTime, actorTokenId: exampleIds.actorTokenId, deliveries: 1 },
      ...{ filter: null, data: { image: 'holiday.jpg' } },
    },
  ],
};
