import type { App, AppChanges } from '@roomwire/shared/domain/apps/app';
import type { BlueprintVersion } from '@roomwire/shared/domain/blueprints/blueprint';
import { blueprintTarget, existingVersion } from '../blueprints/decider.js';
import type { CommandHandler } from '../handling/commandHandler.js';
import { Rejection } from '../handling/rejections.js';
import {
  type ResourceDeps,
  pathValue,
  projectContext,
  type ApiRequest,
  type ProjectCaller,
} from '../http/route.js';
import { placeStaticRooms, staticRoomsOf } from '../rooms/placeStaticRooms.js';
import { appsTarget, existing } from './decider.js';

type AppDeps = Pick<ResourceDeps, 'commands' | 'random'>;
type ResetRequest = ApiRequest<ProjectCaller, undefined, undefined>;

/**
 * Restores an app to its blueprint: what the blueprint defines, and its static rooms. Rejects with `app_without_blueprint`.
 *
 * The rooms come first, so that the version of the app says which reset was the last to be completed. One that a dying
 * process leaves half-way is completed by the next.
 */
export const resetApp = async ({ commands, random }: AppDeps, request: ResetRequest): Promise<App> => {
  const { organizationId, projectId } = request.caller;
  const appId = pathValue(request, 'appId');
  const target = appsTarget(projectId);
  const app = await commands.inspect(target, (state) => existing(state, { appId, projectId }));
  const { version, definition } = await blueprintOf(commands, app, organizationId);
  const { rooms, ...fields } = definition;

  const context = projectContext(request);
  const placed = staticRoomsOf(rooms, { appId, projectId, topics: fields.topics }, random);
  await placeStaticRooms(commands, appId, placed, context);
  const changes: AppChanges = { ...fields, blueprintVersion: version };
  return commands.execute(target, { type: 'UpdateApp', appId, projectId, changes }, context, (state) =>
    existing(state, { appId, projectId }),
  );
};

/** The version that the app is pinned to, else the latest. */
const blueprintOf = async (
  commands: CommandHandler,
  app: App,
  organizationId: string,
): Promise<BlueprintVersion> => {
  const { appId, blueprintId, blueprintVersion, pinnedBlueprintVersion } = app;
  if (blueprintId === null) throw new Rejection('app_without_blueprint', { appId });
  const version = pinnedBlueprintVersion ? (blueprintVersion ?? undefined) : undefined;
  return commands.inspect(blueprintTarget(blueprintId), (state) =>
    existingVersion(state, { blueprintId, organizationId, version }),
  );
};
