import { exampleIds, exampleSecret, exampleTime } from '../http/exampleValues.js';
import type { JsonSchema } from '../http/route.js';
import { orNull, record, textSchema, timeSchema, uuidSchema } from '../http/schema.js';
import type { presentApiKey } from './present.js';

const fields: Readonly<Record<string, JsonSchema>> = {
  apiKeyId: uuidSchema,
  organizationId: uuidSchema,
  projectId: { ...orNull(uuidSchema), description: 'Null for a key of the organization alone' },
  keyId: { ...textSchema, description: 'Public: `ak_live_<id>`' },
  name: textSchema,
  expiresAt: orNull(timeSchema),
  lastUsedAt: orNull(timeSchema),
  createdAt: timeSchema,
  updatedAt: timeSchema,
};

export const apiKeySchema = record('ApiKey', fields);

export const createdApiKeySchema = record('CreatedApiKey', {
  ...fields,
  apiKey: { ...textSchema, description: '`ak_live_<id>.<secret>`; shown only in this answer' },
});

export const exampleNewApiKey = { name: 'Backend', expiresAt: '2027-01-31T00:00:00.000Z' };

export const exampleApiKey: ReturnType<typeof presentApiKey> = {
  apiKeyId: exampleIds.apiKeyId,
  organizationId: exampleIds.organizationId,
  projectId: exampleIds.projectId,
  keyId: 'ak_live_9c3e5a7d1f20',
  ...exampleNewApiKey,
  lastUsedAt: null,
  createdAt: exampleTime,
  updatedAt: exampleTime,
};

export const exampleCreatedApiKey = { ...exampleApiKey, apiKey: `${exampleApiKey.keyId}.${exampleSecret}` };
