import { minuteAt } from '@roomwire/shared/activity/activity';
import { knownMinutes } from '@roomwire/shared/activity/knownMinutes';
import type { ActivityStore } from '@roomwire/shared/ports/activityStore';
import { sessionRoute, type ResourceDeps, type Route } from '../http/route.js';
import { projectOf } from '../projects/resource.js';
import {
  activityQuerySchema,
  activitySchema,
  exampleActivity,
  minutesAsked,
  presentMinute,
} from './resource.js';

export interface ActivityRouteDeps {
  readonly activity: Pick<ActivityStore, 'find'>;
}

export const activityRoutes = ({
  commands,
  activity,
}: Pick<ResourceDeps, 'commands'> & ActivityRouteDeps): readonly Route[] => [
  sessionRoute({
    method: 'get',
    path: '/organizations/{orgId}/projects/{projectId}/activity',
    operationId: 'getActivity',
    tag: 'Projects',
    summary: 'What happened in a project, minute by minute, for the last six hours at most',
    query: activityQuerySchema,
    status: 200,
    answer: activitySchema,
    example: { answer: exampleActivity },
    rejections: ['organization_not_found', 'project_not_found'],
    async handle(request) {
      const { projectId } = await projectOf(commands, request);
      const to = minuteAt(Date.parse(request.now));
      const from = to - minutesAsked(request.query);
      const minutes = knownMinutes({ from, to }, await activity.find({ projectId, from, to }));
      return { data: minutes.map((counts, at) => presentMinute(from + at, counts)) };
    },
  }),
];
