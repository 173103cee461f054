import { Buffer } from 'node:buffer';
import { accessModes } from '@roomwire/shared/domain/apps/app';
import { retentions } from '@roomwire/shared/domain/apps/topicConfig';
import type { BlueprintDefinition, BlueprintRoom } from '@roomwire/shared/domain/blueprints/blueprint';
import { validationError, type FailedConstraint } from '../http/errors.js';
import {
  anything,
  arrayOf,
  descriptionSchema,
  flag,
  integer,
  mapOf,
  nameSchema,
  objectSchema,
  oneOf,
  openObject,
  orNull,
  slugSchema,
  strictObject,
  text,
  titled,
  topicNameSchema,
  topicsSchema,
  type ValueOf,
} from '../http/schema.js';
import { slugFromName } from '../policy/slugFromName.js';

const webhookSchema = titled(
  'WebhookInput',
  strictObject(
    {
      url: text({ format: 'webhook-url' }),
      headers: mapOf(
        { format: 'webhook-header-name', maxLength: 256 },
        text({ format: 'header-value', maxLength: 8192 }),
        50,
      ),
    },
    ['url'],
  ),
);

const loggingSchema = strictObject(
  {
    enabled: flag(),
    retention: oneOf(retentions),
    replayEnabled: flag(),
    maxReplayMessages: integer({ minimum: 1, maximum: 100_000 }),
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

/** Fields that the service reads are checked; apps may keep settings of their own beside them. */
const configSchema = titled(
  'AppConfigInput',
  openObject({
    autoProvisionRooms: flag(),
    accessMode: oneOf(accessModes),
    lobbies: arrayOf(
      strictObject({ slug: slugSchema, rooms: arrayOf(text({ pattern: '^[a-z0-9-]+\\*?$' }), 1000) }, [
        'slug',
        'rooms',
      ]),
      100,
    ),
  }),
);

/** For apps that carry source code. */
const keptAsSent = (example: unknown) =>
  anything({ description: 'Any JSON value, stored as it is sent', examples: [example] });

/** The fields of an app that a blueprint may define, and that can be changed in the app. */
export const changeableSchemas = {
  config: configSchema,
  topics: topicsSchema,
  topicConfigs: topicConfigsSchema,
  hydrationWebhook: orNull(webhookSchema),
  triggerWebhook: orNull(webhookSchema),
  dependencies: keptAsSent({ zod: '4.1.0' }),
  files: keptAsSent({ 'index.ts': 'export {};' }),
};

/** The fields of an app that a blueprint may define. */
export const definedSchemas = { ...changeableSchemas, framework: keptAsSent('express') };

const roomSchema = titled(
  'BlueprintRoom',
  strictObject(
    {
      name: nameSchema,
      slug: slugSchema,
      description: descriptionSchema,
      topics: topicsSchema,
      metadata: objectSchema,
    },
    ['name'],
  ),
);

export const definitionSchema = titled(
  'BlueprintDefinition',
  strictObject({ ...definedSchemas, rooms: arrayOf(roomSchema, 5000) }),
);

/** A version is one event, which with its envelope must fit into an append of any event log (1 MiB). */
const mostBytes = 512 * 1024;

/** A definition as it is stored, with every field. Throws a validation error for what a schema cannot express. */
export const readDefinition = (body: ValueOf<typeof definitionSchema>): BlueprintDefinition => {
  const definition = {
    topics: body.topics ?? [],
    topicConfigs: body.topicConfigs ?? {},
    config: body.config ?? {},
    hydrationWebhook: body.hydrationWebhook ?? null,
    triggerWebhook: body.triggerWebhook ?? null,
    rooms: (body.rooms ?? []).map(readRoom),
    dependencies: body.dependencies ?? null,
    files: body.files ?? null,
    framework: body.framework ?? null,
  };
  const failed = [...tooLarge(definition), ...repeatedSlugs(definition.rooms)];
  if (failed.length > 0) throw validationError(failed);
  return definition;
};

const readRoom = (room: ValueOf<typeof roomSchema>): BlueprintRoom => ({
  name: room.name,
  slug: room.slug ?? slugFromName(room.name, 'room'),
  description: room.description ?? null,
  topics: room.topics ?? [],
  metadata: room.metadata ?? {},
});

const tooLarge = (definition: BlueprintDefinition): FailedConstraint[] =>
  Buffer.byteLength(JSON.stringify(definition)) <= mostBytes
    ? []
    : [{ path: 'definition', value: null, message: `must not be larger than ${mostBytes} bytes` }];

const listedRepetitions = 100;

const repeatedSlugs = (rooms: readonly BlueprintRoom[]): FailedConstraint[] => {
  const lastFirst = rooms.map(({ slug }, index) => [slug, index] as const).reverse();
  const firstOf = new Map(lastFirst);
  return rooms
    .flatMap(({ slug }, index) =>
      firstOf.get(slug) === index
        ? []
        : [
            {
              path: `definition.rooms.${index}.slug`,
              value: slug,
              message: 'must be unique among the rooms',
            },
          ],
    )
    .slice(0, listedRepetitions);
};
