import {
  accessModes,
  appStatuses,
  type AppChanges,
  type AppStatus,
  type App,
} from '@roomwire/shared/domain/apps/app';
import { retentions } from '@roomwire/shared/domain/apps/topicConfig';
import { slugBaseMaxLength } from '@roomwire/shared/domain/slug';
import { versionSchema } from '../blueprints/version.js';
import { pageQuerySchema, type PageQuery } from '../http/listing.js';
import { type JsonSchema, pathValue, type ProjectCaller } from '../http/route.js';
import {
  activeOrDisabledSchema,
  arrayOf,
  descriptionSchema,
  mapOf,
  nameSchema,
  orNull,
  slugSchema,
  strictObject,
  titled,
  topicNameSchema,
  topicsSchema,
  uuidSchema,
  countSchema,
  flagSchema,
  listOf,
  record,
  textOrNullSchema,
  textSchema,
  timeSchema,
} from '../http/schema.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import type { Organization } from '@roomwire/shared/domain/organizations/organization';
import type { ViewFilter, ViewStore } from '@roomwire/shared/ports/viewStore';
import { Rejection } from '../handling/rejections.js';
import type { CommandHandler } from '../handling/commandHandler.js';
import { appsTarget, existing } from './decider.js';

const webhookSchema = titled(
  'WebhookInput',
  strictObject(
    {
      url: { type: 'string', format: 'webhook-url' },
      headers: mapOf(
        { format: 'webhook-header-name', maxLength: 256 },
        { type: 'string', format: 'header-value', maxLength: 8192 },
        50,
      ),
    },
    ['url'],
  ),
);

const loggingSchema = strictObject(
  {
    enabled: { type: 'boolean' },
    retention: { type: 'string', enum: [...retentions] },
    replayEnabled: { type: 'boolean' },
    maxReplayMessages: { type: 'integer', minimum: 1, maximum: 100_000 },
  },
  ['enabled'],
);

const topicConfigsSchema = mapOf(
  topicNameSchema,
  titled(
    'TopicConfigInput',
    strictObject({
      logging: loggingSchema,
      webhooks: strictObject({ onSubscribe: webhookSchema, onPublish: webhookSchema }),
    }),
  ),
  1000,
);

/** What apps that carry source code bring along. */
const anyValue = (example: unknown): JsonSchema => ({
  description: 'Any JSON value; kept as it is sent',
  examples: [example],
});

/** What the service reads of a config is checked; apps may keep settings of their own beside it. */
const configSchema: JsonSchema = {
  title: 'AppConfigInput',
  type: 'object',
  properties: {
    autoProvisionRooms: { type: 'boolean' },
    accessMode: { type: 'string', enum: [...accessModes] },
    lobbies: arrayOf(
      strictObject(
        { slug: slugSchema, rooms: arrayOf({ type: 'string', pattern: '^[a-z0-9-]+\\*?$' }, 1000) },
        ['slug', 'rooms'],
      ),
      100,
    ),
  },
};

const changeableSchemas = {
  config: configSchema,
  topics: topicsSchema,
  topicConfigs: topicConfigsSchema,
  hydrationWebhook: orNull(webhookSchema),
  triggerWebhook: orNull(webhookSchema),
  dependencies: anyValue({ zod: '4.1.0' }),
  files: anyValue({ 'index.ts': 'export {};' }),
};

/** The fields of an app that a blueprint may define. */
export const definedSchemas = { ...changeableSchemas, framework: anyValue('express') };

type ChangeableFields = Pick<AppChanges, 'description' | 'slug' | keyof typeof changeableSchemas>;

export interface CreateAppBody extends ChangeableFields {
  readonly name: string;
  readonly framework?: unknown;
  readonly blueprintId?: string;
  readonly blueprintVersion?: string;
}

export const createAppSchema: JsonSchema = {
  ...titled(
    'NewApp',
    strictObject(
      {
        name: nameSchema,
        description: descriptionSchema,
        ...definedSchemas,
        // Four hex digits and a hyphen are added to it.
        slug: { ...slugSchema, maxLength: slugBaseMaxLength },
        blueprintId: uuidSchema,
        blueprintVersion: versionSchema,
      },
      ['name'],
    ),
  ),
  if: { required: ['blueprintVersion'] },
  then: { required: ['blueprintId'] },
};

export interface UpdateAppBody extends ChangeableFields {
  readonly name?: string;
  readonly status?: 'active' | 'disabled';
  readonly pinnedBlueprintVersion?: boolean;
}

export const updateAppSchema = titled(
  'AppChanges',
  strictObject({
    name: nameSchema,
    status: activeOrDisabledSchema,
    pinnedBlueprintVersion: { type: 'boolean' },
    description: descriptionSchema,
    slug: slugSchema,
    ...changeableSchemas,
  }),
);

export interface AppsQuery extends PageQuery {
  readonly name?: string;
  readonly blueprintId?: string;
  readonly status?: AppStatus;
}

export const appsQuerySchema = pageQuerySchema(['name', 'slug', 'status', 'createdAt', 'updatedAt'], {
  name: { type: 'string', maxLength: 255 },
  blueprintId: uuidSchema,
  status: { type: 'string', enum: [...appStatuses] },
});

const webhookAnswer = titled(
  'Webhook',
  strictObject({ url: textSchema, headers: { type: 'object', additionalProperties: textSchema } }, ['url']),
);

const loggingAnswer = strictObject(
  {
    enabled: flagSchema,
    retention: { type: 'string', enum: [...retentions] },
    replayEnabled: flagSchema,
    maxReplayMessages: countSchema,
  },
  ['enabled'],
);

const topicConfigAnswer = titled(
  'TopicConfig',
  strictObject({
    logging: loggingAnswer,
    webhooks: strictObject({ onSubscribe: webhookAnswer, onPublish: webhookAnswer }),
  }),
);

const configAnswer: JsonSchema = titled('AppConfig', {
  type: 'object',
  properties: {
    autoProvisionRooms: flagSchema,
    accessMode: { type: 'string', enum: [...accessModes] },
    lobbies: listOf(strictObject({ slug: textSchema, rooms: listOf(textSchema) }, ['slug', 'rooms'])),
  },
});

const asSent: JsonSchema = { description: 'Any JSON value, kept as it was sent; null without one' };

export const appSchema = record('App', {
  appId: uuidSchema,
  projectId: uuidSchema,
  name: textSchema,
  slug: { ...textSchema, description: 'First segment of topic addresses' },
  description: textOrNullSchema,
  status: { type: 'string', enum: [...appStatuses] },
  blueprintId: orNull(uuidSchema),
  blueprintVersion: textOrNullSchema,
  pinnedBlueprintVersion: flagSchema,
  config: configAnswer,
  topics: listOf(textSchema),
  topicConfigs: { type: 'object', additionalProperties: topicConfigAnswer },
  hydrationWebhook: orNull(webhookAnswer),
  triggerWebhook: orNull(webhookAnswer),
  dependencies: asSent,
  files: asSent,
  framework: asSent,
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

const webhook = { url: 'https://example.com/hooks/published', headers: { 'X-Api-Key': 'secret' } };

export const exampleNewApp = {
  name: 'Support desk',
  topics: ['chat', 'typing'],
  config: { autoProvisionRooms: true },
  topicConfigs: { chat: { logging: { enabled: true, retention: '7d' } } },
  triggerWebhook: webhook,
} as const;

export const exampleApp: ReturnType<typeof presentApp> = {
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

export const appDeletedSchema = record('AppDeleted', { success: { type: 'boolean', const: true } });

export const presentApp = (app: App, owner: AppOwner) => ({
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

/** What of an organization shows in its apps; undefined where the read models do not have it. */
export type AppOwner = Pick<Organization, 'status'> | undefined;

/** An app of a suspended organization is suspended, whatever its own status is; that one stays, and shows again after. */
export const shownStatus = ({ status }: Pick<App, 'status'>, owner: AppOwner): AppStatus =>
  owner?.status === 'suspended' ? 'suspended' : status;

/** The filter by which the owner's apps that show a status are found; undefined asks for all. */
export const statusFilter = (status: AppStatus | undefined, owner: AppOwner): ViewFilter => {
  if (status === undefined) return {};
  if (owner?.status !== 'suspended') return { status };
  return status === 'suspended' ? {} : { status: { $in: [] } };
};

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

/** The app that the path names, as its stream has it, so that what is made in it follows the rules in force now. */
export const currentApp = (commands: CommandHandler, request: AppRequest): Promise<App> => {
  const { projectId } = request.caller;
  const appId = pathValue(request, 'appId');
  return commands.inspect(appsTarget(projectId), (state) => existing(state, { appId, projectId }));
};
