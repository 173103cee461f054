import type { BlueprintDefinition } from '@roomwire/shared/domain/blueprints/blueprint';
import { definedSchemas } from '../apps/schemas.js';
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
} from '../http/schema.js';
import { versionSchema } from './version.js';

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
