import type { App, AppFields, AppChanges } from '@roomwire/shared/domain/app';
import type { BlueprintVersion, BlueprintDefinition, BlueprintRoom } from '@roomwire/shared/domain/blueprint';
import { RevisionConflict } from '@roomwire/shared/ports/errors';
import { blueprintTarget, existingVersion } from '../blueprints/decider.js';
import type { CommandHandler } from '../handling/commandHandler.js';
import { Rejection } from '../handling/rejections.js';
import type { CommandContext } from '../handling/streamWriter.js';
import { unwritten } from '../handling/writeModel.js';
import {
  type ResourceDeps,
  projectContext,
  type ApiRequest,
  type ProjectCaller,
  pathValue,
} from '../http/route.js';
import { existing as existingOrganization, organizationTarget } from '../organizations/decider.js';
import { appsTarget, existing, type CreateApp } from './decider.js';
import type { CreateAppBody } from './resource.js';
import { Buffer } from 'node:buffer';
import type { Random } from '@roomwire/shared/ports/random';
import { slugFromName } from '../policy/slugFromName.js';
import { roomsStream, type RoomFields } from '@roomwire/shared/domain/room';
import { roomsTarget } from '../rooms/decider.js';
import { staticRoomChanges } from '../rooms/staticRooms.js';

type AppDeps = Pick<ResourceDeps, 'commands' | 'random'>;
type CreateRequest = ApiRequest<ProjectCaller, CreateAppBody, undefined>;

/** Creates an app, and the rooms of its blueprint. */
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
  await placeStaticRooms(commands, { appId: app.appId, isNew: true }, rooms, context);
  return create().catch((error: unknown) => withdrawRooms(commands, app.appId, context, error));
};

/**
 * The rooms are in another stream than the app, and are written first: until their app exists they are invisible, and a
 * process that ends in between leaves rooms that never become visible. The other way round, it would leave an app that
 * lacks its rooms.
 *
 * They are removed where the app is known not to exist. When the log has not answered, it may exist.
 */
const withdrawRooms = async (
  commands: CommandHandler,
  appId: string,
  context: CommandContext,
  error: unknown,
): Promise<never> => {
  if (error instanceof Rejection || error instanceof RevisionConflict)
    await placeStaticRooms(commands, { appId }, [], context);
  throw error;
};

/** Rejects early what would be rejected later, so that usually no room is created needlessly. */
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

interface AppOrigin {
  readonly appId: string;
  readonly projectId: string;
  /** Undefined for an app without a blueprint. */
  readonly blueprint: BlueprintVersion | undefined;
}

/** The fields of an app that a blueprint defines. */
export type DefinedFields = Omit<BlueprintDefinition, 'rooms'>;

const nothingDefined: DefinedFields = {
  config: {},
  topics: [],
  topicConfigs: {},
  hydrationWebhook: null,
  triggerWebhook: null,
  dependencies: null,
  files: null,
  framework: null,
};

/** A field that was sent replaces that of the blueprint; an empty object, an empty array and null are values too. */
export const newApp = (
  { appId, projectId, blueprint }: AppOrigin,
  body: CreateAppBody,
): Omit<AppFields, 'slug'> => {
  const defined = blueprint?.definition ?? nothingDefined;
  return {
    appId,
    projectId,
    name: body.name,
    description: body.description ?? null,
    blueprintId: blueprint?.blueprintId ?? null,
    blueprintVersion: blueprint?.version ?? null,
    pinnedBlueprintVersion: false,
    config: sent(body.config, defined.config),
    topics: sent(body.topics, defined.topics),
    topicConfigs: sent(body.topicConfigs, defined.topicConfigs),
    hydrationWebhook: sent(body.hydrationWebhook, defined.hydrationWebhook),
    triggerWebhook: sent(body.triggerWebhook, defined.triggerWebhook),
    dependencies: sent(body.dependencies, defined.dependencies),
    files: sent(body.files, defined.files),
    framework: sent(body.framework, defined.framework),
  };
};

const sent = <T>(value: T | undefined, otherwise: T): T => (value === undefined ? otherwise : value);

/** More than one, because an app with the same four hex digits may exist. */
const candidates = 8;

/** Candidate slugs for a new app: the requested one, or one from the name, followed by four random hex digits. */
const slugsFor = (name: string, asked: string | undefined, random: Random): string[] => {
  const base = asked ?? slugFromName(name, 'app');
  return Array.from({ length: candidates }, () => `${base}-${Buffer.from(random.bytes(2)).toString('hex')}`);
};

type ResetRequest = ApiRequest<ProjectCaller, undefined, undefined>;

/**
 * Restores an app to its blueprint: the fields that the blueprint defines, and its static rooms. Rejects with
 * `app_without_blueprint`.
 *
 * The rooms are written first, so that the version of the app names the last reset that was completed. A reset that a
 * process leaves incomplete is completed by the next one.
 */
export const resetApp = async ({ commands, random }: AppDeps, request: ResetRequest): Promise<App> => {
  const { organizationId, projectId } = request.caller;
  const appId = pathValue(request, 'appId');
  const target = appsTarget(projectId);
  const app = await commands.inspect(target, (state) => existing(state, { appId, projectId }));
  const { version, definition } = await blueprintToRestore(commands, app, organizationId);
  const { rooms, ...fields } = definition;

  const context = projectContext(request);
  const placed = staticRoomsOf(rooms, { appId, projectId, topics: fields.topics }, random);
  await placeStaticRooms(commands, { appId }, placed, context);
  const changes: AppChanges = { ...fields, blueprintVersion: version };
  return commands.execute(target, { type: 'UpdateApp', appId, projectId, changes }, context, (state) =>
    existing(state, { appId, projectId }),
  );
};

/** The version that the app is pinned to, else the latest. */
const blueprintToRestore = async (
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

/** Far more than the largest definition needs; reached only while other processes keep undoing the work. */
const mostParts = 100;

/** Makes these the static rooms of an app. Repeated after a failure, it continues where it stopped. */
const placeStaticRooms = async (
  commands: CommandHandler,
  { appId, isNew }: { readonly appId: string; readonly isNew?: true },
  rooms: readonly RoomFields[],
  context: CommandContext,
): Promise<void> => {
  for (let part = 0; part < mostParts; part += 1) {
    const left = await commands.execute(
      isNew ? unwritten(roomsTarget(appId)) : roomsTarget(appId),
      { type: 'PlaceStaticRooms', appId, rooms },
      context,
      (state) => staticRoomChanges(state, appId, rooms).length,
    );
    if (left === 0) return;
  }
  throw new RevisionConflict(roomsStream(appId));
};

/** The rooms of a blueprint as rooms of an app. A room without topics gets those of the app. */
const staticRoomsOf = (
  rooms: readonly BlueprintRoom[],
  app: { readonly appId: string; readonly projectId: string; readonly topics: readonly string[] },
  random: Random,
): readonly RoomFields[] =>
  rooms.map((room) => ({
    roomId: random.uuid(),
    appId: app.appId,
    projectId: app.projectId,
    name: room.name,
    slug: room.slug,
    description: room.description,
    topics: room.topics.length === 0 ? app.topics : room.topics,
    metadata: room.metadata,
    origin: 'blueprint',
  }));
