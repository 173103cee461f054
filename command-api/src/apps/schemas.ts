import { accessModes, appStatuses, type AppChanges, type AppStatus } from '@roomwire/shared/domain/apps/app';
import { retentions } from '@roomwire/shared/domain/apps/topicConfig';
import { slugBaseMaxLength } from '@roomwire/shared/domain/slug';
import { versionSchema } from '../blueprints/version.js';
import { pageQuerySchema, type PageQuery } from '../http/listing.js';
import type { JsonSchema } from '../http/route.js';
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
} from '../http/schema.js';

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
