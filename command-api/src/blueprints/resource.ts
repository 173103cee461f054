import type { Blueprint } from '@roomwire/shared/domain/blueprint';
import { exampleIds, exampleTime } from '../http/exampleValues.js';
import { pageQuerySchema } from '../http/listing.js';
import { definitionSchema } from './definition.js';
import { versionSchema } from './version.js';
import * as s from '../http/schema.js';

export type RegisterBlueprintBody = s.ValueOf<typeof registerBlueprintSchema>;

/** With `blueprintId`, another version of that blueprint; without it, a new blueprint, which needs a name. */
export const registerBlueprintSchema = s.limited(
  s.titled(
    'NewBlueprint',
    s.strictObject(
      { blueprintId: s.uuid, name: s.name, version: versionSchema, definition: definitionSchema },
      ['version', 'definition'],
    ),
  ),
  { if: { required: ['blueprintId'] }, else: { required: ['name'] } },
);

export const blueprintsQuerySchema = pageQuerySchema(['name', 'createdAt', 'updatedAt']);

export const blueprintSchema = s.titledObject('Blueprint', {
  blueprintId: s.uuid,
  organizationId: s.uuid,
  name: s.text(),
  version: s.described(s.orNull(s.text()), 'The latest version'),
  versions: s.described(s.listOf(s.text()), 'In the order of precedence, the latest last'),
  createdAt: s.time,
  updatedAt: s.time,
});

type BlueprintAnswer = s.ValueOf<typeof blueprintSchema>;

/** Without the definitions, which are large; a client that has registered them has them. */
export const presentBlueprint = (blueprint: Blueprint): BlueprintAnswer => ({
  blueprintId: blueprint.blueprintId,
  organizationId: blueprint.organizationId,
  name: blueprint.name,
  version: blueprint.versions.at(-1) ?? null,
  versions: blueprint.versions,
  createdAt: blueprint.createdAt,
  updatedAt: blueprint.updatedAt,
});

export const exampleNewBlueprint = {
  name: 'Support',
  version: '1.0.0',
  definition: {
    topics: ['chat'],
    config: { accessMode: 'open' },
    rooms: [{ name: 'Lobby' }, { name: 'Desk', slug: 'desk', topics: ['chat', 'typing'] }],
  },
} as const;

export const exampleBlueprint: BlueprintAnswer = {
  blueprintId: exampleIds.blueprintId,
  organizationId: exampleIds.organizationId,
  name: exampleNewBlueprint.name,
  version: exampleNewBlueprint.version,
  versions: [exampleNewBlueprint.version],
  createdAt: exampleTime,
  updatedAt: exampleTime,
};
