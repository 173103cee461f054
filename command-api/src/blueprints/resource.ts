import type { BlueprintDefinition, Blueprint } from '@roomwire/shared/domain/blueprints/blueprint';
import { definedSchemas } from '../apps/resource.js';
import { pageQuerySchema } from '../http/listing.js';
import type { JsonSchema } from '../http/route.js';
import {
  arrayOf,
  descriptionSchema,
  nameSchema,
  objectSchema,
  slugSchema,
  strictObject,
  titled,
  topicsSchema,
  uuidSchema,
  listOf,
  record,
  textOrNullSchema,
  textSchema,
  timeSchema,
} from '../http/schema.js';
import { versionSchema } from './version.js';
import { exampleIds, exampleTime } from '../http/exampleValues.js';

const mostRooms = 5000;

export interface BlueprintRoomBody {
  readonly name: string;
  readonly slug?: string;
  readonly description?: string | null;
  readonly topics?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface DefinitionBody extends Partial<Omit<BlueprintDefinition, 'rooms'>> {
  readonly rooms?: readonly BlueprintRoomBody[];
}

const definitionSchema = titled(
  'BlueprintDefinition',
  strictObject({
    ...definedSchemas,
    rooms: arrayOf(
      titled(
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
      ),
      mostRooms,
    ),
  }),
);

export interface RegisterBlueprintBody {
  /** For another version of this one; without it, a new blueprint is registered. */
  readonly blueprintId?: string;
  /** Always there without `blueprintId`. */
  readonly name?: string;
  readonly version: string;
  readonly definition: DefinitionBody;
}

export const registerBlueprintSchema: JsonSchema = {
  ...titled(
    'NewBlueprint',
    strictObject(
      { blueprintId: uuidSchema, name: nameSchema, version: versionSchema, definition: definitionSchema },
      ['version', 'definition'],
    ),
  ),
  if: { required: ['blueprintId'] },
  else: { required: ['name'] },
};

export const blueprintsQuerySchema = pageQuerySchema(['name', 'createdAt', 'updatedAt']);

export const blueprintSchema = record('Blueprint', {
  blueprintId: uuidSchema,
  organizationId: uuidSchema,
  name: textSchema,
  version: { ...textOrNullSchema, description: 'The latest' },
  versions: { ...listOf(textSchema), description: 'In the order of their precedence, the latest last' },
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

export const exampleNewBlueprint = {
  name: 'Support',
  version: '1.0.0',
  definition: {
    topics: ['chat'],
    config: { accessMode: 'open' },
    rooms: [{ name: 'Lobby' }, { name: 'Desk', slug: 'desk', topics: ['chat', 'typing'] }],
  },
};

export const exampleBlueprint: ReturnType<typeof presentBlueprint> = {
  blueprintId: exampleIds.blueprintId,
  organizationId: exampleIds.organizationId,
  name: exampleNewBlueprint.name,
  version: exampleNewBlueprint.version,
  versions: [exampleNewBlueprint.version],
  createdAt: exampleTime,
  updatedAt: exampleTime,
};

/** Without the definitions: they are large, and whoever registered them has them. */
export const presentBlueprint = (blueprint: Blueprint) => ({
  blueprintId: blueprint.blueprintId,
  organizationId: blueprint.organizationId,
  name: blueprint.name,
  version: blueprint.versions.at(-1) ?? null,
  versions: blueprint.versions,
  createdAt: blueprint.createdAt,
  updatedAt: blueprint.updatedAt,
});
