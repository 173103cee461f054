import { findPage, type PageQuery } from '../http/pagination.js';
import type { ResourceDeps } from '../http/resourceDeps.js';
import { sessionContext, sessionRoute, type Route } from '../http/route.js';
import { organizationOf } from '../organizations/access.js';
import { projectOf } from './access.js';
import { existing, projectTarget } from './decider.js';
import { presentProject } from './present.js';
import {
  createProjectSchema,
  projectsQuerySchema,
  updateProjectSchema,
  type CreateProjectBody,
  type UpdateProjectBody,
} from './schemas.js';

export const projectRoutes = ({ commands, views, random }: ResourceDeps): readonly Route[] => [
  sessionRoute<CreateProjectBody>({
    method: 'post',
    path: '/organizations/{orgId}/projects',
    summary: 'Create a project',
    body: createProjectSchema,
    status: 201,
    async handle(request) {
      const { organizationId } = await organizationOf(commands, request);
      const projectId = random.uuid();
      return commands.execute(
        projectTarget(projectId),
        { type: 'CreateProject', project: { projectId, organizationId, name: request.body.name } },
        sessionContext(request, organizationId, projectId),
        (state) => presentProject(existing(state, { organizationId, projectId })),
      );
    },
  }),

  sessionRoute<undefined, PageQuery>({
    method: 'get',
    path: '/organizations/{orgId}/projects',
    summary: 'List the projects of an organization',
    query: projectsQuerySchema,
    status: 200,
    async handle(request) {
      const { organizationId } = await organizationOf(commands, request);
      return findPage(views, 'projects', { organizationId }, request.query, presentProject);
    },
  }),

  sessionRoute({
    method: 'get',
    path: '/organizations/{orgId}/projects/{projectId}',
    summary: 'Get a project',
    status: 200,
    async handle(request) {
      return presentProject(await projectOf(commands, request));
    },
  }),

  sessionRoute<UpdateProjectBody>({
    method: 'patch',
    path: '/organizations/{orgId}/projects/{projectId}',
    summary: 'Change a project',
    body: updateProjectSchema,
    status: 200,
    async handle(request) {
      const { organizationId, projectId } = await projectOf(commands, request);
      return commands.execute(
        projectTarget(projectId),
        { type: 'UpdateProject', organizationId, projectId, changes: request.body },
        sessionContext(request, organizationId, projectId),
        (state) => presentProject(existing(state, { organizationId, projectId })),
      );
    },
  }),

  sessionRoute({
    method: 'delete',
    path: '/organizations/{orgId}/projects/{projectId}',
    summary: 'Delete a project and everything in it',
    status: 204,
    async handle(request) {
      const { organizationId, projectId } = await projectOf(commands, request);
      await commands.execute(
        projectTarget(projectId),
        { type: 'DeleteProject', organizationId, projectId },
        sessionContext(request, organizationId, projectId),
        () => undefined,
      );
    },
  }),
];
