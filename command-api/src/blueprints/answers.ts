import { exampleIds, exampleTime } from '../http/exampleValues.js';
import { listOf, record, textOrNullSchema, textSchema, timeSchema, uuidSchema } from '../http/schema.js';
import type { presentBlueprint } from './present.js';

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
