import {
  signingKeyEnvironments,
  signingKeyStatuses,
  type SigningKey,
} from '@roomwire/shared/domain/signing-keys/signingKey';
import type { UsageReader } from '@roomwire/shared/ports/usageStore';
import { exampleIds, exampleSecret, exampleTime } from '../http/exampleValues.js';
import { pageQuerySchema, presentUsed } from '../http/listing.js';
import {
  described,
  nameSchema,
  oneOf,
  orNull,
  record,
  strictObject,
  text,
  textSchema,
  timeSchema,
  titled,
  uuidSchema,
  type ValueOf,
} from '../http/schema.js';

const statusSchema = oneOf(signingKeyStatuses);

export const createSigningKeySchema = titled(
  'NewSigningKey',
  strictObject({ name: nameSchema, environment: oneOf(signingKeyEnvironments) }, ['name']),
);

export const updateSigningKeySchema = titled(
  'SigningKeyChanges',
  strictObject({ name: nameSchema, status: statusSchema }),
);

export const signingKeysQuerySchema = pageQuerySchema(['name', 'keyId', 'status', 'createdAt', 'updatedAt'], {
  name: text({ maxLength: 255 }),
  status: statusSchema,
});

const signingKeyFields = {
  signingKeyId: uuidSchema,
  projectId: uuidSchema,
  keyId: described(textSchema, 'Public: `sk_live_<id>` or `sk_sandbox_<id>`, the `kid` of client tokens'),
  name: textSchema,
  status: statusSchema,
  lastUsedAt: orNull(timeSchema),
  createdAt: timeSchema,
  updatedAt: timeSchema,
};

export const signingKeySchema = record('SigningKey', signingKeyFields);

export const createdSigningKeySchema = record('CreatedSigningKey', {
  ...signingKeyFields,
  signingKey: described(textSchema, '`<keyId>.<secret>`; shown only in this answer'),
});

type SigningKeyAnswer = ValueOf<typeof signingKeySchema>;

export const presentSigningKey = (key: SigningKey, lastUsedAt: string | null): SigningKeyAnswer => ({
  signingKeyId: key.signingKeyId,
  projectId: key.projectId,
  keyId: key.keyId,
  name: key.name,
  status: key.status,
  lastUsedAt,
  createdAt: key.createdAt,
  updatedAt: key.updatedAt,
});

export const presentSigningKeys = (
  usage: UsageReader,
  keys: readonly SigningKey[],
): Promise<SigningKeyAnswer[]> =>
  presentUsed(usage, keys, ({ signingKeyId }) => signingKeyId, presentSigningKey);

export const exampleNewSigningKey = { name: 'Web shop', environment: 'live' } as const;

export const exampleSigningKey: SigningKeyAnswer = {
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
