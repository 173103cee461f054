import { Buffer } from 'node:buffer';
import type { BlueprintDefinition, BlueprintRoom } from '@roomwire/shared/domain/blueprints/blueprint';
import { validationError, type FailedConstraint } from '../http/errors.js';
import { slugFromName } from '../policy/slugFromName.js';
import type { BlueprintRoomBody, DefinitionBody } from './resource.js';

/** A version is one event, and with its envelope it must go into an append of any event log (1 MiB). */
const mostBytes = 512 * 1024;

/** A definition as it is kept, with every field. Throws the validation error of what a schema cannot say. */
export const readDefinition = (body: DefinitionBody): BlueprintDefinition => {
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

const readRoom = (room: BlueprintRoomBody): BlueprintRoom => ({
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
