import { signingKeyStatuses } from '@roomwire/shared/domain/signing-keys/signingKey';
import { exampleIds, exampleSecret, exampleTime } from '../http/exampleValues.js';
import type { JsonSchema } from '../http/route.js';
import { orNull, record, textSchema, timeSchema, uuidSchema } from '../http/schema.js';
import type { presentSigningKey } from './present.js';

const fields: Readonly<Record<string, JsonSchema>> = {
  signingKeyId: uuidSchema,
  projectId: uuidSchema,
  keyId: {
    ...textSchema,
    description: 'Public: `sk_live_<id>` or `sk_sandbox_<id>`, the `kid` of client tokens',
  },
  name: textSchema,
  status: { type: 'string', enum: [...signingKeyStatuses] },
  lastUsedAt: orNull(timeSchema),
  createdAt: timeSchema,
  updatedAt: timeSchema,
};

export const signingKeySchema = record('SigningKey', fields);

export const createdSigningKeySchema = record('CreatedSigningKey', {
  ...fields,
  signingKey: { ...textSchema, description: '`<keyId>.<secret>`; shown only in this answer' },
});

export const exampleNewSigningKey = { name: 'Web shop', environment: 'live' };

export const exampleSigningKey: ReturnType<typeof presentSigningKey> = {
  signingKeyId: exampleIds.signingKeyId,
  projectId: exampleIds.projectId,
  keyId: 'sk_live_7e2b9d4c1a60',
  name: exampleNewSigningKey.name,
  status: 'active',
  lastUsedAt: null,
  createdAt: exampleTime,
  updatedAt: exampleTime,
};

export const exampleCreatedSigningKey = {
  ...exampleSigningKey,
  signingKey: `${exampleSigningKey.keyId}.${exampleSecret}`,
};
