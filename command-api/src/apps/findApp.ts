import type { App } from '@roomwire/shared/domain/apps/app';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { Rejection } from '../handling/rejections.js';
import { pathValue, type ProjectCaller } from '../http/route.js';

interface AppRequest {
  readonly caller: ProjectCaller;
  readonly path: Readonly<Record<string, string>>;
}

/** The app that the path names, as the read models show it. Another project's app does not exist. */
export const findApp = async (views: ViewStore, request: AppRequest): Promise<App> => {
  const { projectId } = request.caller;
  const appId = pathValue(request, 'appId');
  const app = await views.get('apps', appId);
  if (app?.projectId !== projectId) throw new Rejection('app_not_found', { appId, projectId });
  return app;
};
