import { accessModes, appStatuses, type App, type AppStatus } from '@roomwire/shared/domain/apps/app';
import { retentions } from '@roomwire/shared/domain/apps/topicConfig';
import type { Organization } from '@roomwire/shared/domain/organizations/organization';
import { slugBaseMaxLength } from '@roomwire/shared/domain/slug';
import type { ViewFilter, ViewReader } from '@roomwire/shared/ports/viewStore';
import { changeableSchemas, definedSchemas } from '../blueprints/definition.js';
import { versionSchema } from '../blueprints/version.js';
import type { CommandHandler } from '../handling/commandHandler.js';
import { Rejection } from '../handling/rejections.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import { pageQuerySchema } from '../http/listing.js';
import { pathValue, type ProjectRequest } from '../http/route.js';
import {
  activeOrDisabledSchema,
  anything,
  countSchema,
  described,
  descriptionSchema,
  dictionaryOf,
  flag,
  flagSchema,
  limited,
  listOf,
  nameSchema,
  oneOf,
  only,
  openObject,
  orNull,
  record,
  slugSchema,
  strictObject,
  text,
  textOrNullSchema,
  textSchema,
  timeSchema,
  titled,
  uuidSchema,
  type ValueOf,
} from '../http/schema.js';
import { appsTarget, existing } from './decider.js';

export type CreateAppBody = ValueOf<typeof createAppSchema>;

export const createAppSchema = limited(
  titled(
    'NewApp',
    strictObject(
      {
        name: nameSchema,
        description: descriptionSchema,
        ...definedSchemas,
        // Four hex digits and a hyphen are added to it.
        slug: limited(slugSchema, { maxLength: slugBaseMaxLength }),
        blueprintId: uuidSchema,
        blueprintVersion: versionSchema,
      },
      ['name'],
    ),
  ),
  { if: { required: ['blueprintVersion'] }, then: { required: ['blueprintId'] } },
);

export const updateAppSchema = titled(
  'AppChanges',
  strictObject({
    name: nameSchema,
    status: activeOrDisabledSchema,
    pinnedBlueprintVersion: flag(),
    description: descriptionSchema,
    slug: slugSchema,
    ...changeableSchemas,
  }),
);

export const appsQuerySchema = pageQuerySchema(['name', 'slug', 'status', 'createdAt', 'updatedAt'], {
  name: text({ maxLength: 255 }),
  blueprintId: uuidSchema,
  status: oneOf(appStatuses),
});

const webhookSchema = titled(
  'Webhook',
  strictObject({ url: textSchema, headers: dictionaryOf(textSchema) }, ['url']),
);

const loggingSchema = strictObject(
  {
    enabled: flagSchema,
    retention: oneOf(retentions),
    replayEnabled: flagSchema,
    maxReplayMessages: countSchema,
  },
  ['enabled'],
);

const topicConfigSchema = titled(
  'TopicConfig',
  strictObject({
    logging: loggingSchema,
    webhooks: strictObject({ onSubscribe: webhookSchema, onPublish: webhookSchema }),
  }),
);

const configSchema = titled(
  'AppConfig',
  openObject({
    autoProvisionRooms: flagSchema,
    accessMode: oneOf(accessModes),
    lobbies: listOf(strictObject({ slug: textSchema, rooms: listOf(textSchema) }, ['slug', 'rooms'])),
  }),
);

const keptAsSent = anything({ description: 'Any JSON value, as it was sent; null where none was' });

export const appSchema = record('App', {
  appId: uuidSchema,
  projectId: uuidSchema,
  name: textSchema,
  slug: described(textSchema, 'First segment of topic addresses'),
  description: textOrNullSchema,
  status: oneOf(appStatuses),
  blueprintId: orNull(uuidSchema),
  blueprintVersion: textOrNullSchema,
  pinnedBlueprintVersion: flagSchema,
  config: configSchema,
  topics: listOf(textSchema),
  topicConfigs: dictionaryOf(topicConfigSchema),
  hydrationWebhook: orNull(webhookSchema),
  triggerWebhook: orNull(webhookSchema),
  dependencies: keptAsSent,
  files: keptAsSent,
  framework: keptAsSent,
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

export const appDeletedSchema = record('AppDeleted', { success: only(true) });

type AppAnswer = ValueOf<typeof appSchema>;

export const presentApp = (app: App, owner: AppOwner): AppAnswer => ({
  appId: app.appId,
  projectId: app.projectId,
  name: app.name,
  slug: app.slug,
  description: app.description,
  status: shownStatus(app, owner),
  blueprintId: app.blueprintId,
  blueprintVersion: app.blueprintVersion,
  pinnedBlueprintVersion: app.pinnedBlueprintVersion,
  config: app.config,
  topics: app.topics,
  topicConfigs: app.topicConfigs,
  hydrationWebhook: app.hydrationWebhook,
  triggerWebhook: app.triggerWebhook,
  dependencies: app.dependencies,
  files: app.files,
  framework: app.framework,
  createdAt: app.createdAt,
  updatedAt: app.updatedAt,
});

export const exampleNewApp = {
  name: 'Support desk',
  topics: ['chat', 'typing'],
  config: { autoProvisionRooms: true },
  topicConfigs: { chat: { logging: { enabled: true, retention: '7d' } } },
  triggerWebhook: { url: 'https://example.com/hooks/published', headers: { 'X-Api-Key': 'secret' } },
} as const;

export const exampleApp: AppAnswer = {
  appId: exampleIds.appId,
  projectId: exampleIds.projectId,
  ...exampleNewApp,
  slug: 'support-desk-1a2b',
  description: null,
  status: 'active',
  blueprintId: null,
  blueprintVersion: null,
  pinnedBlueprintVersion: false,
  hydrationWebhook: null,
  dependencies: null,
  files: null,
  framework: null,
  createdAt: exampleTime,
  updatedAt: exampleTime,
};

/** What an app's answer needs of its organization; undefined where the read models do not have it. */
export type AppOwner = Pick<Organization, 'status'> | undefined;

/** An app of a suspended organization is shown as suspended. Its own status is kept, and shown again afterwards. */
export const shownStatus = ({ status }: Pick<App, 'status'>, owner: AppOwner): AppStatus =>
  owner?.status === 'suspended' ? 'suspended' : status;

/** The filter for the owner's apps that are shown with a status; undefined for all. */
export const statusFilter = (status: AppStatus | undefined, owner: AppOwner): ViewFilter => {
  if (status === undefined) return {};
  if (owner?.status !== 'suspended') return { status };
  return status === 'suspended' ? {} : { status: { $in: [] } };
};

/** The app that the path names, as the read models show it. Another project's app does not exist. */
export const findApp = async (views: ViewReader, request: ProjectRequest): Promise<App> => {
  const { projectId } = request.caller;
  const appId = pathValue(request, 'appId');
  const app = await views.get('apps', appId);
  if (app?.projectId !== projectId) throw new Rejection('app_not_found', { appId, projectId });
  return app;
};

/** The app that the path names, from its stream, so that what is created in it follows its current settings. */
export const currentApp = (commands: CommandHandler, request: ProjectRequest): Promise<App> => {
  const { projectId } = request.caller;
  const appId = pathValue(request, 'appId');
  return commands.inspect(appsTarget(projectId), (state) => existing(state, { appId, projectId }));
};
