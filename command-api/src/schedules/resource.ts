import type { ScheduledPublish, ScheduleFilter } from '@roomwire/shared/ports/scheduleStore';
import { clampedLimit } from '../http/clampedLimit.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import * as s from '../http/schema.js';

const mostListed = 1_000;
const usuallyListed = 100;

/** `deliverAt` and place of the last one on the page before. */
const cursorPattern = /^(\d{1,15})-([\w.-]{1,100})$/;

export const scheduledQuerySchema = s.queryOf({
  topic: s.text({ description: 'Only those to this `app-slug/room-slug/topic`' }),
  limit: s.number({ description: `Publishes; clamped to 1-${mostListed}`, default: usuallyListed }),
  cursor: s.text({ pattern: cursorPattern.source, description: '`next` of the previous page' }),
});

type ScheduledQuery = s.ValueOf<typeof scheduledQuerySchema>;

export const filterOf = ({ topic, limit = usuallyListed, cursor = '' }: ScheduledQuery): ScheduleFilter => {
  const [, deliverAt, place] = cursorPattern.exec(cursor) ?? [];
  const after = place === undefined ? undefined : { deliverAt: Number(deliverAt), place };
  return { topic, after, limit: clampedLimit(limit, mostListed) };
};

export const cursorOf = ({ deliverAt, place }: ScheduledPublish): string => `${deliverAt}-${place}`;

const scheduledSchema = s.titledObject('ScheduledPublish', {
  scheduledId: s.uuid,
  topic: s.text(),
  scope: s.described(s.orNull(s.uuid), 'The `accessScopeId`; null outside of every scope'),
  id: s.described(s.text(), 'As its publisher gave it, otherwise the `scheduledId`'),
  actorTokenId: s.described(s.orNull(s.uuid), 'Of its publisher; null for a backend'),
  deliverAt: s.time,
  createdAt: s.time,
});

export const scheduledPageSchema = s.titledObject('ScheduledPublishPage', {
  data: s.described(s.listOf(scheduledSchema), 'The earliest first'),
  next: s.described(s.orNull(s.text()), '`cursor` of the next page; null on the last one'),
});

export const presentScheduled = (publish: ScheduledPublish): s.ValueOf<typeof scheduledSchema> => ({
  scheduledId: publish.scheduledId,
  topic: publish.topic,
  scope: publish.scope?.accessScopeId ?? null,
  id: publish.id ?? publish.scheduledId,
  actorTokenId: publish.actorTokenId === '' ? null : publish.actorTokenId,
  deliverAt: new Date(publish.deliverAt).toISOString(),
  createdAt: new Date(publish.createdAt).toISOString(),
});

export const exampleScheduledPage = {
  data: [
    {
      scheduledId: exampleIds.scheduledId,
      topic: 'plant-1a2b/hall-3/temperature',
      scope: null,
      id: 'reminder-4711',
      actorTokenId: exampleIds.actorTokenId,
      deliverAt: '2026-02-01T08:00:00.000Z',
      createdAt: exampleTime,
    },
  ],
  next: null,
};
