import { containing, findPage } from '../http/pagination.js';
import type { ResourceDeps } from '../http/resourceDeps.js';
import { pathValue, projectContext, projectRoute, type ProjectCaller, type Route } from '../http/route.js';
import { createApp } from './createApp.js';
import { appsTarget, existing } from './decider.js';
import { findApp } from './findApp.js';
import { presentApp } from './present.js';
import { resetApp } from './resetApp.js';
import {
  appsQuerySchema,
  createAppSchema,
  updateAppSchema,
  type AppsQuery,
  type CreateAppBody,
  type UpdateAppBody,
} from './schemas.js';
import { statusFilter, type AppOwner } from './suspension.js';

export const appRoutes = (deps: ResourceDeps): readonly Route[] => {
  const { commands, views } = deps;

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
          ...(blueprintId === undefined ? {} : { blueprintId: blueprintId.toLowerCase() }),
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
        return presentApp(await createApp(deps, request), await ownerOf(request.caller));
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
        return presentApp(await resetApp(deps, request), await ownerOf(request.caller));
      },
    }),
  ];
};
