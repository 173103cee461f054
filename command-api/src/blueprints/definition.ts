import { Buffer } from 'node:buffer';
import { accessModes, bodyVersions, longestRetrySeconds, retentions } from '@roomwire/shared/domain/app';
import type { BlueprintDefinition, BlueprintRoom } from '@roomwire/shared/domain/blueprint';
import { lingering, roomEventNames } from '@roomwire/shared/domain/roomEvents';
import { longestHistory, usualHistory } from '@roomwire/shared/domain/topicHistory';
import { validationError, type FailedConstraint } from '../http/errors.js';
import { slugFromName } from '../policy/slugFromName.js';
import * as s from '../http/schema.js';

/** [HOOK-CONF-3] */
const webhookFields = {
  url: s.text({ format: 'webhook-url' }),
  headers: s.mapOf(
    { format: 'webhook-header-name', maxLength: 256 },
    s.text({ format: 'header-value', maxLength: 8192 }),
    50,
  ),
};

const webhookSchema = s.titled('WebhookInput', s.strictObject(webhookFields, ['url']));

/** [HOOK-CONF-4] Of a webhook whose calls are kept until they arrive. */
const triggerWebhookFields = {
  ...webhookFields,
  retrySeconds: s.integer({
    minimum: 0,
    maximum: longestRetrySeconds,
    description:
      'For how long after its first attempt a call is tried on, beyond the third; 0 where it is absent',
  }),
  bodyVersion: s.oneOfNumbers(bodyVersions, {
    description:
      'In version 2 the body also has `appId`, `appSlug`, `roomId`, `topic`, `id`, `at` and `position`; 1 where it is absent',
  }),
};

const triggerWebhookSchema = s.titled('TriggerWebhookInput', s.strictObject(triggerWebhookFields, ['url']));

const loggingSchema = s.strictObject(
  {
    enabled: s.flag(),
    retention: s.oneOf(retentions),
    replayEnabled: s.flag(),
    maxReplayMessages: s.integer({ minimum: 1, maximum: 100_000 }),
  },
  ['enabled'],
);

/** [WS-HIST-1] */
const historySchema = s.strictObject({
  seconds: s.integer({ minimum: 1, maximum: longestHistory.seconds, default: usualHistory.seconds }),
  messages: s.integer({ minimum: 1, maximum: longestHistory.messages, default: usualHistory.messages }),
});

const topicConfigsSchema = s.mapOf(
  s.topicName,
  s.titled(
    'TopicConfigInput',
    s.strictObject({
      logging: loggingSchema,
      history: s.described(
        s.orNull(historySchema),
        'Messages are kept where it is an object, even an empty one',
      ),
      webhooks: s.strictObject({ onSubscribe: webhookSchema, onPublish: triggerWebhookSchema }),
    }),
  ),
  1000,
);

/** Fields that the service reads are checked; apps may keep settings of their own beside them. */
/** [HOOK-EVENT-1] */
const eventWebhookSchema = s.titled(
  'EventWebhookInput',
  s.strictObject(
    {
      ...triggerWebhookFields,
      events: s.arrayOf(s.oneOf(roomEventNames), roomEventNames.length, { minItems: 1, uniqueItems: true }),
      lingerSeconds: s.integer({
        minimum: 0,
        maximum: lingering.longestSeconds,
        default: lingering.usualSeconds,
      }),
    },
    ['url'],
  ),
);

const configSchema = s.titled(
  'AppConfigInput',
  s.openObject({
    eventWebhook: s.described(
      s.orNull(eventWebhookSchema),
      'Is called when somebody comes into a room or leaves it; without `events` for all four',
    ),
    autoProvisionRooms: s.flag(),
    accessMode: s.oneOf(accessModes),
    lobbies: s.arrayOf(
      s.strictObject({ slug: s.slug, rooms: s.arrayOf(s.text({ pattern: '^[a-z0-9-]+\\*?$' }), 1000) }, [
        'slug',
        'rooms',
      ]),
      100,
    ),
  }),
);

/** For apps that carry source code. */
const keptAsSent = (example: unknown) =>
  s.anything({ description: 'Any JSON value, stored as it is sent', examples: [example] });

/** The fields of an app that a blueprint may define, and that can be changed in the app. */
export const changeableSchemas = {
  config: configSchema,
  topics: s.topics,
  topicConfigs: topicConfigsSchema,
  hydrationWebhook: s.orNull(webhookSchema),
  triggerWebhook: s.orNull(triggerWebhookSchema),
  dependencies: keptAsSent({ zod: '4.1.0' }),
  files: keptAsSent({ 'index.ts': 'export {};' }),
};

/** The fields of an app that a blueprint may define. */
export const definedSchemas = { ...changeableSchemas, framework: keptAsSent('express') };

const roomSchema = s.titled(
  'BlueprintRoom',
  s.strictObject(
    {
      name: s.name,
      slug: s.slug,
      description: s.description,
      topics: s.topics,
      metadata: s.object,
    },
    ['name'],
  ),
);

export const definitionSchema = s.titled(
  'BlueprintDefinition',
  s.strictObject({ ...definedSchemas, rooms: s.arrayOf(roomSchema, 5000) }),
);

/** A version is one event, which with its envelope must fit into an append of any event log (1 MiB). */
const mostBytes = 512 * 1024;

/** A definition as it is stored, with every field. Throws a validation error for what a schema cannot express. */
export const readDefinition = (body: s.ValueOf<typeof definitionSchema>): BlueprintDefinition => {
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

const readRoom = (room: s.ValueOf<typeof roomSchema>): BlueprintRoom => ({
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
