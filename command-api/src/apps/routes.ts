import type { AppFields } from '@roomwire/shared/domain/apps/app';
import { Refusal } from '../handling/refusal.js';
import { containing, findPage } from '../http/pagination.js';
import type { ResourceDeps } from '../http/resourceDeps.js';
import { pathValue, projectContext, projectRoute, type ProjectCaller, type Route } from '../http/route.js';
import { existing as existingOrganization, organizationTarget } from '../organizations/decider.js';
import { appsTarget, existing } from './decider.js';
import { findApp } from './findApp.js';
import { presentApp } from './present.js';
import {
  appsQuerySchema,
  createAppSchema,
  updateAppSchema,
  type AppsQuery,
  type CreateAppBody,
  type UpdateAppBody,
} from './schemas.js';
import { slugsFor } from './slugs.js';
import { statusFilter, type AppOwner } from './suspension.js';

export const appRoutes = ({ commands, views, random }: ResourceDeps): readonly Route[] => {
  const maxAppsOf = ({ organizationId }: ProjectCaller): Promise<number | null> =>
    commands.inspect(
      organizationTarget(organizationId),
      (state) => existingOrganization(state, organizationId).plan.maxApps,
    );

  const ownerOf = ({ organizationId }: ProjectCaller): Promise<AppOwner> =>
    views.get('organizations', organizationId);

  return [
    projectRoute<undefined, AppsQuery>({
      method: 'get',
      path: '/apps',
      summary: 'List the apps of the project',
      query: appsQuerySchema,
      status: 200,
      async handle({ caller, query }) {
        const { name, blueprintId, status } = query;
        const owner = await ownerOf(caller);
        const filter = {
          projectId: caller.projectId,
          ...(name === undefined ? {} : { name: containing(name) }),
          ...(blueprintId === undefined ? {} : { blueprintId }),
          ...statusFilter(status, owner),
        };
        return findPage(views, 'apps', filter, query, (app) => presentApp(app, owner));
      },
    }),

    projectRoute<CreateAppBody>({
      method: 'post',
      path: '/apps',
      summary: 'Create an app',
      body: createAppSchema,
      status: 201,
      async handle(request) {
        const { caller, body } = request;
        if (body.blueprintId !== undefined)
          throw new Refusal('blueprint_not_found', { blueprintId: body.blueprintId });
        const { projectId } = caller;
        const owner = await ownerOf(caller);
        const app = newApp(random.uuid(), projectId, body);
        return commands.execute(
          appsTarget(projectId),
          {
            type: 'CreateApp',
            app,
            slugs: slugsFor(body.name, body.slug, random),
            maxApps: await maxAppsOf(caller),
          },
          projectContext(request),
          (state) => presentApp(existing(state, app), owner),
        );
      },
    }),

    projectRoute({
      method: 'get',
      path: '/apps/{appId}',
      summary: 'Get an app',
      status: 200,
      async handle(request) {
        return presentApp(await findApp(views, request), await ownerOf(request.caller));
      },
    }),

    projectRoute<UpdateAppBody>({
      method: 'patch',
      path: '/apps/{appId}',
      summary: 'Change an app',
      body: updateAppSchema,
      status: 200,
      async handle(request) {
        const { projectId } = request.caller;
        const appId = pathValue(request, 'appId');
        const owner = await ownerOf(request.caller);
        return commands.execute(
          appsTarget(projectId),
          { type: 'UpdateApp', appId, projectId, changes: request.body },
          projectContext(request),
          (state) => presentApp(existing(state, { appId, projectId }), owner),
        );
      },
    }),

    projectRoute({
      method: 'delete',
      path: '/apps/{appId}',
      summary: 'Delete an app and its rooms',
      status: 200,
      async handle(request) {
        const { projectId } = request.caller;
        const appId = pathValue(request, 'appId');
        return commands.execute(
          appsTarget(projectId),
          { type: 'DeleteApp', appId, projectId },
          projectContext(request),
          () => ({ success: true }),
        );
      },
    }),

    projectRoute({
      method: 'post',
      path: '/apps/{appId}/reset-to-blueprint',
      summary: 'Restore an app to its blueprint',
      status: 200,
      async handle(request) {
        const { appId } = await findApp(views, request);
        throw new Refusal('app_without_blueprint', { appId });
      },
    }),
  ];
};

const newApp = (appId: string, projectId: string, body: CreateAppBody): Omit<AppFields, 'slug'> => ({
  appId,
  projectId,
  name: body.name,
  description: body.description ?? null,
  blueprintId: null,
  blueprintVersion: null,
  pinnedBlueprintVersion: false,
  config: body.config ?? {},
  topics: body.topics ?? [],
  topicConfigs: body.topicConfigs ?? {},
  hydrationWebhook: body.hydrationWebhook ?? null,
  triggerWebhook: body.triggerWebhook ?? null,
  dependencies: body.dependencies ?? null,
  files: body.files ?? null,
  framework: body.framework ?? null,
});
