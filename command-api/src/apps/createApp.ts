import type { App } from '@roomwire/shared/domain/apps/app';
import type { BlueprintVersion } from '@roomwire/shared/domain/blueprints/blueprint';
import { RevisionConflict } from '@roomwire/shared/ports/errors';
import { blueprintTarget, existingVersion } from '../blueprints/decider.js';
import type { CommandHandler } from '../handling/commandHandler.js';
import { Rejection } from '../handling/rejections.js';
import type { CommandContext } from '../handling/streamWriter.js';
import { type ResourceDeps, projectContext, type ApiRequest, type ProjectCaller } from '../http/route.js';
import { existing as existingOrganization, organizationTarget } from '../organizations/decider.js';
import { placeStaticRooms, staticRoomsOf } from '../rooms/placeStaticRooms.js';
import { appsTarget, existing, type CreateApp } from './decider.js';
import { newApp } from './newApp.js';
import type { CreateAppBody } from './schemas.js';
import { slugsFor } from './slugs.js';

type AppDeps = Pick<ResourceDeps, 'commands' | 'random'>;
type CreateRequest = ApiRequest<ProjectCaller, CreateAppBody, undefined>;

/** Makes an app, and the rooms of the blueprint that it is made from. */
export const createApp = async ({ commands, random }: AppDeps, request: CreateRequest): Promise<App> => {
  const { caller, body } = request;
  const { projectId } = caller;
  const context = projectContext(request);
  const blueprint = await blueprintOf(commands, request);
  const app = newApp({ appId: random.uuid(), projectId, blueprint }, body);
  const command: CreateApp = {
    type: 'CreateApp',
    app,
    slugs: slugsFor(body.name, body.slug, random),
    maxApps: await maxAppsOf(commands, caller),
  };
  const create = () =>
    commands.execute(appsTarget(projectId), command, context, (state) => existing(state, app));

  const rooms = staticRoomsOf(blueprint?.definition.rooms ?? [], app, random);
  if (rooms.length === 0) return create();
  await requireAllowed(commands, command);
  await placeStaticRooms(commands, app.appId, rooms, context);
  return create().catch((error: unknown) => withdrawRooms(commands, app.appId, context, error));
};

/**
 * The rooms stand in another stream than the app, so that one of the two comes first. It is the rooms: until their app
 * is there nobody can see them, and a process that dies in between leaves some that nobody ever will. The other way
 * round, it would leave an app that lacks its rooms.
 *
 * They are taken back where the app is known not to be there. When the log has not answered it may well be there.
 */
const withdrawRooms = async (
  commands: CommandHandler,
  appId: string,
  context: CommandContext,
  error: unknown,
): Promise<never> => {
  if (error instanceof Rejection || error instanceof RevisionConflict)
    await placeStaticRooms(commands, appId, [], context);
  throw error;
};

/** Refuses early what would be refused in the end: most of it is, and no room is made for it in vain. */
const requireAllowed = (commands: CommandHandler, command: CreateApp): Promise<void> => {
  const target = appsTarget(command.app.projectId);
  return commands.inspect(target, (state) => void target.decider.decide(command, state));
};

const blueprintOf = async (
  commands: CommandHandler,
  { caller: { organizationId }, body }: CreateRequest,
): Promise<BlueprintVersion | undefined> => {
  if (body.blueprintId === undefined) return undefined;
  const asked = {
    organizationId,
    blueprintId: body.blueprintId.toLowerCase(),
    version: body.blueprintVersion,
  };
  return commands.inspect(blueprintTarget(asked.blueprintId), (state) => existingVersion(state, asked));
};

const maxAppsOf = (commands: CommandHandler, { organizationId }: ProjectCaller): Promise<number | null> =>
  commands.inspect(
    organizationTarget(organizationId),
    (state) => existingOrganization(state, organizationId).plan.maxApps,
  );
