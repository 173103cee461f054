import { exposesTopic } from '@roomwire/shared/domain/admission';
import type { ConfiguredJobGroup } from '@roomwire/shared/domain/jobGroup';
import { internalRoom } from '@roomwire/shared/domain/topic';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { JobGroup, JobGroups } from '@roomwire/shared/ports/jobGroups';
import { withinBytes } from '@roomwire/shared/runtime/withinBytes';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { findApp } from '../apps/resource.js';
import { Rejection } from '../handling/rejections.js';
import {
  Otherwise,
  pathValue,
  projectContext,
  projectRoute,
  type ProjectRequest,
  type ResourceDeps,
  type Route,
} from '../http/route.js';
import { roomsTarget } from '../rooms/decider.js';
import { findRoom } from '../rooms/resource.js';
import { scopeOfQuery } from '../scopes/resource.js';
import {
  createJobGroupSchema,
  exampleJobGroup,
  exampleNewJobGroup,
  examplePeeked,
  jobGroupPage,
  jobGroupPageQuery,
  jobGroupPageSchema,
  jobGroupSchema,
  optionsOf,
  peekedSchema,
  peekLimitOf,
  peekQuery,
  presentJobGroup,
  presentPeeked,
} from './resource.js';

export interface JobGroupDeps {
  /** Undefined while this process cannot reach them. */
  readonly jobGroups: () => JobGroups | undefined;
}

const path = '/apps/{appId}/rooms/{roomId}/groups';
const tag = 'Worker groups';
const notFound = ['app_not_found', 'room_not_found', 'job_group_not_found'] as const;

export const jobGroupRoutes = ({
  commands,
  views,
  jobGroups,
}: Pick<ResourceDeps, 'commands' | 'views'> & JobGroupDeps): readonly Route[] => [
  projectRoute({
    method: 'post',
    path,
    operationId: 'createJobGroup',
    permission: 'groups:write',
    tag,
    summary: 'Make a worker group that collects jobs before its first member comes, or replace its options',
    body: createJobGroupSchema,
    status: 201,
    answer: jobGroupSchema,
    otherwise: { status: 200, answer: jobGroupSchema, example: exampleJobGroup },
    example: { body: exampleNewJobGroup, answer: exampleJobGroup },
    rejections: [
      ...(['app_not_found', 'room_not_found', 'topic_not_found', 'scope_not_found'] as const),
      'job_group_without_jobs',
    ],
    async handle(request) {
      const { body } = request;
      const { topic, name } = body;
      const [app, room] = [await findApp(views, request), await findRoom(views, request)];
      if (!exposesTopic(app, room, topic)) throw new Rejection('topic_not_found', { topic });
      const scope = await scopeOfQuery(views, request, body.scope ?? undefined);
      const created = await available(jobGroups()).create({
        ...{ projectId: app.projectId, appId: app.appId, roomId: room.roomId, topic, name },
        accessScopeId: scope?.accessScopeId ?? null,
        room: internalRoom(app.projectId, scope?.slug ?? null, app.slug, room.slug),
        options: optionsOf(body),
      });
      if (created === 'withoutJobs') throw new Rejection('job_group_without_jobs', { name });
      const { group, isNew } = created;
      await commands.execute(
        roomsTarget(app.appId),
        { type: 'ConfigureJobGroup', group: { ...namesOf(group, request), options: group.options } },
        projectContext(request),
      );
      return isNew ? presentJobGroup(group) : new Otherwise(presentJobGroup(group));
    },
  }),

  projectRoute({
    method: 'get',
    path,
    operationId: 'listJobGroups',
    permission: 'groups:read',
    tag,
    summary: 'List the worker groups of a room that have jobs, in all scopes',
    query: jobGroupPageQuery,
    status: 200,
    answer: jobGroupPageSchema,
    example: { answer: { data: [exampleJobGroup], next: null } },
    rejections: ['app_not_found', 'room_not_found'],
    async handle(request) {
      const { projectId, roomId } = await findRoom(views, request);
      return jobGroupPage(await available(jobGroups()).list(projectId, roomId), request.query);
    },
  }),

  projectRoute({
    method: 'get',
    path: `${path}/{groupId}`,
    operationId: 'getJobGroup',
    permission: 'groups:read',
    tag,
    summary: 'Get a worker group that has jobs',
    status: 200,
    answer: jobGroupSchema,
    example: { answer: exampleJobGroup },
    rejections: notFound,
    async handle(request) {
      const { projectId, roomId } = await findRoom(views, request);
      const groupId = pathValue(request, 'groupId');
      return presentJobGroup(found(await available(jobGroups()).get(projectId, roomId, groupId), groupId));
    },
  }),

  projectRoute({
    method: 'get',
    path: `${path}/{groupId}/jobs`,
    operationId: 'peekJobs',
    permission: 'groups:read',
    tag,
    summary: 'Look at the oldest jobs of a worker group, without taking them',
    query: peekQuery,
    status: 200,
    answer: peekedSchema,
    example: { answer: examplePeeked },
    rejections: notFound,
    async handle(request) {
      const { projectId, roomId } = await findRoom(views, request);
      const groupId = pathValue(request, 'groupId');
      const most = peekLimitOf(request.query);
      const jobs = await available(jobGroups()).peek(projectId, roomId, groupId, most);
      const shown = withinBytes(
        found(jobs, groupId),
        limitTable.peekedBytes.value,
        ({ body }) => body.length,
      );
      return { data: shown.map(presentPeeked) };
    },
  }),

  projectRoute({
    method: 'delete',
    path: `${path}/{groupId}`,
    operationId: 'deleteJobGroup',
    permission: 'groups:write',
    tag,
    summary: 'Delete a worker group with its jobs, and end the subscriptions of its members',
    status: 204,
    rejections: notFound,
    async handle(request) {
      const { appId, projectId, roomId } = await findRoom(views, request);
      const groupId = pathValue(request, 'groupId');
      const groups = available(jobGroups());
      const group = found(await groups.get(projectId, roomId, groupId), groupId);
      // The event first: jobs must not be gone without a record of who wanted it.
      await commands.execute(
        roomsTarget(appId),
        { type: 'DeleteJobGroup', group: namesOf(group, request) },
        projectContext(request),
      );
      await groups.delete(projectId, roomId, groupId);
    },
  }),
];

const available = (jobGroups: JobGroups | undefined): JobGroups => {
  if (jobGroups === undefined) throw new EngineUnavailable('worker groups');
  return jobGroups;
};

const found = <T>(value: T | undefined, groupId: string): T => {
  if (value === undefined) throw new Rejection('job_group_not_found', { groupId });
  return value;
};

/** As the audit has it. */
const namesOf = (
  { groupId, accessScopeId, topic, name }: JobGroup,
  request: ProjectRequest,
): Omit<ConfiguredJobGroup, 'options'> => ({
  ...{ appId: pathValue(request, 'appId'), roomId: pathValue(request, 'roomId') },
  ...{ groupId, accessScopeId, topic, name },
});
