import { containing, examplePage, findPage, pageOf } from '../http/listing.js';
import {
  type ResourceDeps,
  pathValue,
  projectContext,
  projectRoute,
  type ProjectCaller,
  type Route,
} from '../http/route.js';
import {
  appDeletedSchema,
  appSchema,
  exampleApp,
  exampleNewApp,
  findApp,
  presentApp,
  appsQuerySchema,
  createAppSchema,
  updateAppSchema,
  statusFilter,
  type AppOwner,
} from './resource.js';
import { createApp, resetApp } from './appCommands.js';
import type { App } from '@roomwire/shared/domain/app';
import { shown } from '../audit/shown.js';
import { roomsStream } from '@roomwire/shared/domain/room';
import { appsTarget, existing } from './decider.js';

export const appRoutes = (deps: ResourceDeps): readonly Route[] => {
  const { commands, views } = deps;

  const ownerOf = ({ organizationId }: ProjectCaller): Promise<AppOwner> =>
    views.get('organizations', organizationId);

  return [
    projectRoute({
      method: 'get',
      path: '/apps',
      operationId: 'listApps',
      permission: 'apps:read',
      tag: 'Apps',
      summary: 'List the apps of the project',
      query: appsQuerySchema,
      status: 200,
      answer: pageOf(appSchema),
      example: { answer: examplePage(exampleApp) },
      rejections: [],
      async handle({ caller, query }) {
        const { name, blueprintId, status } = query;
        const owner = await ownerOf(caller);
        const filter = {
          projectId: caller.projectId,
          ...(name === undefined ? {} : { name: containing(name) }),
          ...(blueprintId === undefined ? {} : { blueprintId: blueprintId.toLowerCase() }),
          ...statusFilter(status, owner),
        };
        return findPage(views, 'apps', filter, query, (app) => presentApp(visibleTo(caller, app), owner));
      },
    }),

    projectRoute({
      method: 'post',
      path: '/apps',
      operationId: 'createApp',
      permission: 'apps:write',
      tag: 'Apps',
      summary: 'Create an app',
      body: createAppSchema,
      status: 201,
      answer: appSchema,
      example: { body: exampleNewApp, answer: exampleApp },
      rejections: [
        'app_limit_reached',
        'app_slug_taken',
        'blueprint_not_found',
        'blueprint_version_not_found',
      ],
      async handle(request) {
        // Before the command: an answer that fails after it would have a client create a second app.
        const owner = await ownerOf(request.caller);
        return presentApp(await createApp(deps, request), owner);
      },
    }),

    projectRoute({
      method: 'get',
      path: '/apps/{appId}',
      operationId: 'getApp',
      permission: 'apps:read',
      tag: 'Apps',
      summary: 'Get an app',
      status: 200,
      answer: appSchema,
      example: { answer: exampleApp },
      rejections: ['app_not_found'],
      async handle(request) {
        const app = visibleTo(request.caller, await findApp(views, request));
        return presentApp(app, await ownerOf(request.caller));
      },
    }),

    projectRoute({
      method: 'patch',
      path: '/apps/{appId}',
      operationId: 'updateApp',
      permission: 'apps:write',
      tag: 'Apps',
      summary: 'Change an app',
      body: updateAppSchema,
      status: 200,
      answer: appSchema,
      example: { body: { status: 'disabled' }, answer: { ...exampleApp, status: 'disabled' } },
      rejections: ['app_not_found', 'app_slug_taken'],
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
      operationId: 'deleteApp',
      permission: 'apps:write',
      tag: 'Apps',
      summary: 'Delete an app and its rooms',
      status: 200,
      answer: appDeletedSchema,
      example: { answer: { success: true } },
      rejections: ['app_not_found'],
      async handle(request) {
        const { projectId } = request.caller;
        const appId = pathValue(request, 'appId');
        const answer = await commands.execute(
          appsTarget(projectId),
          { type: 'DeleteApp', appId, projectId },
          projectContext(request),
          () => ({ success: true as const }),
        );
        await commands.forget([roomsStream(appId)]);
        return answer;
      },
    }),

    projectRoute({
      method: 'post',
      path: '/apps/{appId}/reset-to-blueprint',
      operationId: 'resetAppToBlueprint',
      permission: 'apps:write',
      tag: 'Apps',
      summary: 'Restore an app to its blueprint',
      status: 200,
      answer: appSchema,
      example: { answer: exampleApp },
      rejections: ['app_not_found', 'app_without_blueprint'],
      async handle(request) {
        const owner = await ownerOf(request.caller);
        return presentApp(await resetApp(deps, request), owner);
      },
    }),
  ];
};

/** A viewer sees no credentials of webhooks, as in the history. */
const visibleTo = ({ isViewer }: ProjectCaller, app: App): App =>
  isViewer ? (shown(app) as unknown as App) : app;
