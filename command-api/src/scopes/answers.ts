import { exampleIds, exampleTime } from '../http/exampleValues.js';
import {
  flagSchema,
  objectSchema,
  orNull,
  record,
  textOrNullSchema,
  textSchema,
  timeSchema,
  uuidSchema,
} from '../http/schema.js';
import type { presentScope } from './present.js';

export const scopeSchema = record('Scope', {
  accessScopeId: uuidSchema,
  projectId: uuidSchema,
  slug: { ...textSchema, description: 'A segment of topic addresses; never changes' },
  name: textSchema,
  description: textOrNullSchema,
  metadata: orNull(objectSchema),
  isActive: { ...flagSchema, description: 'An inactive scope denies its actors' },
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

export const exampleNewScope = { slug: 'tenant-a', name: 'Tenant A', metadata: { region: 'eu' } };

export const exampleScope: ReturnType<typeof presentScope> = {
  accessScopeId: exampleIds.accessScopeId,
  projectId: exampleIds.projectId,
  ...exampleNewScope,
  description: null,
  isActive: true,
  createdAt: exampleTime,
  updatedAt: exampleTime,
};
