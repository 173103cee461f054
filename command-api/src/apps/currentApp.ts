import type { App } from '@roomwire/shared/domain/apps/app';
import type { CommandHandler } from '../handling/commandHandler.js';
import { pathValue, type ProjectCaller } from '../http/route.js';
import { appsTarget, existing } from './decider.js';

interface AppRequest {
  readonly caller: ProjectCaller;
  readonly path: Readonly<Record<string, string>>;
}

/** The app that the path names, as its stream has it, so that what is made in it follows the rules in force now. */
export const currentApp = (commands: CommandHandler, request: AppRequest): Promise<App> => {
  const { projectId } = request.caller;
  const appId = pathValue(request, 'appId');
  return commands.inspect(appsTarget(projectId), (state) => existing(state, { appId, projectId }));
};
