import { parseTopicAddress } from '@roomwire/shared/domain/topic';
import type { ScheduleStore } from '@roomwire/shared/ports/scheduleStore';
import { Rejection } from '../handling/rejections.js';
import { pathValue, projectRoute, type Route } from '../http/route.js';
import {
  cursorOf,
  exampleScheduledPage,
  filterOf,
  presentScheduled,
  scheduledPageSchema,
  scheduledQuerySchema,
} from './resource.js';

export interface ScheduleDeps {
  readonly schedules: Pick<ScheduleStore, 'list' | 'cancel'>;
}

const path = '/scheduled';

export const scheduleRoutes = ({ schedules }: ScheduleDeps): readonly Route[] => [
  projectRoute({
    method: 'get',
    path,
    operationId: 'listScheduled',
    permission: 'schedules:read',
    tag: 'Publishing',
    summary: 'List the publishes that wait for their time, the earliest first',
    query: scheduledQuerySchema,
    status: 200,
    answer: scheduledPageSchema,
    example: { answer: exampleScheduledPage },
    rejections: [],
    async handle({ caller: { projectId }, query }) {
      // A store may take the empty one for all, or one that is too long for a fault.
      if (query.topic !== undefined && parseTopicAddress(query.topic) === undefined)
        return { data: [], next: null };
      const filter = filterOf(query);
      const found = await schedules.list(projectId, { ...filter, limit: filter.limit + 1 });
      const data = found.slice(0, filter.limit);
      const last = found.length > data.length ? data.at(-1) : undefined;
      return { data: data.map(presentScheduled), next: last === undefined ? null : cursorOf(last) };
    },
  }),

  projectRoute({
    method: 'delete',
    path: `${path}/{scheduledId}`,
    operationId: 'cancelScheduled',
    permission: 'schedules:write',
    tag: 'Publishing',
    summary: 'Cancel a publish that waits for its time: it will not be delivered',
    status: 204,
    rejections: ['scheduled_not_found'],
    async handle(request) {
      const scheduledId = pathValue(request, 'scheduledId');
      const isCancelled = await schedules.cancel(request.caller.projectId, scheduledId);
      if (!isCancelled) throw new Rejection('scheduled_not_found', { scheduledId });
    },
  }),
];
