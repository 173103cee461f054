import { appsStream } from '@roomwire/shared/domain/app';
import { roomsStream } from '@roomwire/shared/domain/room';
import { scopesStream } from '@roomwire/shared/domain/scope';
import { appsTarget } from '../apps/decider.js';
import { unwritten } from '../handling/writeModel.js';
import { examplePage, findPage, pageOf } from '../http/listing.js';
import { type ResourceDeps, sessionContext, sessionRoute, type Route } from '../http/route.js';
import { organizationOf } from '../organizations/resource.js';
import {
  projectOf,
  exampleNewProject,
  exampleProject,
  projectSchema,
  presentProject,
  createProjectSchema,
  projectsQuerySchema,
  updateProjectSchema,
} from './resource.js';
import { existing, projectTarget } from './decider.js';

export const projectRoutes = ({ commands, views, random }: ResourceDeps): readonly Route[] => [
  sessionRoute({
    method: 'post',
    path: '/organizations/{orgId}/projects',
    operationId: 'createProject',
    role: 'editor',
    tag: 'Projects',
    summary: 'Create a project',
    body: createProjectSchema,
    status: 201,
    answer: projectSchema,
    example: { body: exampleNewProject, answer: exampleProject },
    rejections: ['organization_not_found'],
    async handle(request) {
      const { organizationId } = await organizationOf(commands, request);
      const projectId = random.uuid();
      return commands.execute(
        unwritten(projectTarget(projectId)),
        { type: 'CreateProject', project: { projectId, organizationId, name: request.body.name } },
        sessionContext(request, organizationId, projectId),
        (state) => presentProject(existing(state, { organizationId, projectId })),
      );
    },
  }),

  sessionRoute({
    method: 'get',
    path: '/organizations/{orgId}/projects',
    operationId: 'listProjects',
    tag: 'Projects',
    summary: 'List the projects of an organization',
    query: projectsQuerySchema,
    status: 200,
    answer: pageOf(projectSchema),
    example: { answer: examplePage(exampleProject) },
    rejections: ['organization_not_found'],
    async handle(request) {
      const { organizationId } = await organizationOf(commands, request);
      return findPage(views, 'projects', { organizationId }, request.query, presentProject);
    },
  }),

  sessionRoute({
    method: 'get',
    path: '/organizations/{orgId}/projects/{projectId}',
    operationId: 'getProject',
    tag: 'Projects',
    summary: 'Get a project',
    status: 200,
    answer: projectSchema,
    example: { answer: exampleProject },
    rejections: ['organization_not_found', 'project_not_found'],
    async handle(request) {
      return presentProject(await projectOf(commands, request));
    },
  }),

  sessionRoute({
    method: 'patch',
    path: '/organizations/{orgId}/projects/{projectId}',
    operationId: 'updateProject',
    role: 'editor',
    tag: 'Projects',
    summary: 'Change a project',
    body: updateProjectSchema,
    status: 200,
    answer: projectSchema,
    example: { body: exampleNewProject, answer: exampleProject },
    rejections: ['organization_not_found', 'project_not_found'],
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
    operationId: 'deleteProject',
    tag: 'Projects',
    summary: 'Delete a project and everything in it',
    status: 204,
    rejections: ['organization_not_found', 'project_not_found'],
    async handle(request) {
      const { organizationId, projectId } = await projectOf(commands, request);
      const appIds = await commands.inspect(appsTarget(projectId), ({ byId }) => [...byId.keys()]);
      await commands.execute(
        projectTarget(projectId),
        { type: 'DeleteProject', organizationId, projectId },
        sessionContext(request, organizationId, projectId),
      );
      await commands.forget([appsStream(projectId), scopesStream(projectId), ...appIds.map(roomsStream)]);
    },
  }),
];
