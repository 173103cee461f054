import {
  accessModes,
  appStatuses,
  bodyVersions,
  retentions,
  type App,
  type AppStatus,
} from '@roomwire/shared/domain/app';
import { roomEventNames } from '@roomwire/shared/domain/roomEvents';
import type { Organization } from '@roomwire/shared/domain/organization';
import { slugBaseMaxLength } from '@roomwire/shared/domain/topic';
import type { ViewFilter, ViewReader } from '@roomwire/shared/ports/viewStore';
import { changeableSchemas, definedSchemas } from '../blueprints/definition.js';
import { versionSchema } from '../blueprints/version.js';
import type { CommandHandler } from '../handling/commandHandler.js';
import { Rejection } from '../handling/rejections.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import { pageQuerySchema } from '../http/listing.js';
import { pathValue, type ProjectRequest } from '../http/route.js';
import { appsTarget, existing } from './decider.js';
import * as s from '../http/schema.js';

export type CreateAppBody = s.ValueOf<typeof createAppSchema>;

export const createAppSchema = s.limited(
  s.titled(
    'NewApp',
    s.strictObject(
      {
        name: s.name,
        description: s.description,
        ...definedSchemas,
        // Four hex digits and a hyphen are added to it.
        slug: s.limited(s.slug, { maxLength: slugBaseMaxLength }),
        blueprintId: s.uuid,
        blueprintVersion: versionSchema,
      },
      ['name'],
    ),
  ),
  { if: { required: ['blueprintVersion'] }, then: { required: ['blueprintId'] } },
);

export const updateAppSchema = s.titled(
  'AppChanges',
  s.strictObject({
    name: s.name,
    status: s.activeOrDisabled,
    pinnedBlueprintVersion: s.flag(),
    description: s.description,
    slug: s.slug,
    ...changeableSchemas,
  }),
);

export const appsQuerySchema = pageQuerySchema(['name', 'slug', 'status', 'createdAt', 'updatedAt'], {
  name: s.text({ maxLength: 255 }),
  blueprintId: s.uuid,
  status: s.oneOf(appStatuses),
});

const webhookFields = { url: s.text(), headers: s.dictionaryOf(s.text()) };
const webhookSchema = s.titled('Webhook', s.strictObject(webhookFields, ['url']));
const triggerWebhookFields = {
  ...webhookFields,
  retrySeconds: s.count,
  bodyVersion: s.oneOfNumbers(bodyVersions),
};
const triggerWebhookSchema = s.titled('TriggerWebhook', s.strictObject(triggerWebhookFields, ['url']));

const loggingSchema = s.strictObject(
  {
    enabled: s.flag(),
    retention: s.oneOf(retentions),
    replayEnabled: s.flag(),
    maxReplayMessages: s.count,
  },
  ['enabled'],
);

const topicConfigSchema = s.titled(
  'TopicConfig',
  s.strictObject({
    logging: loggingSchema,
    history: s.orNull(s.strictObject({ seconds: s.count, messages: s.count })),
    webhooks: s.strictObject({ onSubscribe: webhookSchema, onPublish: triggerWebhookSchema }),
  }),
);

const configSchema = s.titled(
  'AppConfig',
  s.openObject({
    autoProvisionRooms: s.flag(),
    accessMode: s.oneOf(accessModes),
    eventWebhook: s.orNull(
      s.openObject({
        ...triggerWebhookFields,
        events: s.listOf(s.oneOf(roomEventNames)),
        lingerSeconds: s.count,
      }),
    ),
    lobbies: s.listOf(s.strictObject({ slug: s.text(), rooms: s.listOf(s.text()) }, ['slug', 'rooms'])),
  }),
);

const keptAsSent = s.anything({ description: 'Any JSON value, as it was sent; null where none was' });

export const appSchema = s.titledObject('App', {
  appId: s.uuid,
  projectId: s.uuid,
  name: s.text(),
  slug: s.text({ description: 'First segment of topic addresses' }),
  description: s.orNull(s.text()),
  status: s.oneOf(appStatuses),
  blueprintId: s.orNull(s.uuid),
  blueprintVersion: s.orNull(s.text()),
  pinnedBlueprintVersion: s.flag(),
  config: configSchema,
  topics: s.listOf(s.text()),
  topicConfigs: s.dictionaryOf(topicConfigSchema),
  hydrationWebhook: s.orNull(webhookSchema),
  triggerWebhook: s.orNull(triggerWebhookSchema),
  dependencies: keptAsSent,
  files: keptAsSent,
  framework: keptAsSent,
  createdAt: s.time,
  updatedAt: s.time,
});

export const appDeletedSchema = s.titledObject('AppDeleted', { success: s.only(true) });

type AppAnswer = s.ValueOf<typeof appSchema>;

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
