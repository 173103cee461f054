import {
  signingKeyEnvironments,
  signingKeyStatuses,
  type SigningKey,
} from '@roomwire/shared/domain/signingKey';
import type { UsageReader } from '@roomwire/shared/ports/usageStore';
import { exampleIds, exampleSecret, exampleTime } from '../http/exampleValues.js';
import { pageQuerySchema, presentUsed } from '../http/listing.js';
import * as s from '../http/schema.js';

const statusSchema = s.oneOf(signingKeyStatuses);

export const createSigningKeySchema = s.titled(
  'NewSigningKey',
  s.strictObject({ name: s.name, environment: s.oneOf(signingKeyEnvironments) }, ['name']),
);

export const updateSigningKeySchema = s.titled(
  'SigningKeyChanges',
  s.strictObject({ name: s.name, status: statusSchema }),
);

export const signingKeysQuerySchema = pageQuerySchema(['name', 'keyId', 'status', 'createdAt', 'updatedAt'], {
  name: s.text({ maxLength: 255 }),
  status: statusSchema,
});

const signingKeyFields = {
  signingKeyId: s.uuid,
  projectId: s.uuid,
  keyId: s.text({ description: 'Public: `sk_live_<id>` or `sk_sandbox_<id>`, the `kid` of client tokens' }),
  name: s.text(),
  status: statusSchema,
  lastUsedAt: s.orNull(s.time),
  createdAt: s.time,
  updatedAt: s.time,
};

export const signingKeySchema = s.titledObject('SigningKey', signingKeyFields);

export const createdSigningKeySchema = s.titledObject('CreatedSigningKey', {
  ...signingKeyFields,
  signingKey: s.text({ description: '`<keyId>.<secret>`; shown only in this answer' }),
});

type SigningKeyAnswer = s.ValueOf<typeof signingKeySchema>;

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
