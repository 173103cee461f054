import {
  signingKeyEnvironments,
  signingKeyStatuses,
  type SigningKeyEnvironment,
  type SigningKeyStatus,
  type SigningKey,
} from '@roomwire/shared/domain/signing-keys/signingKey';
import { pageQuerySchema, type PageQuery, presentUsed } from '../http/listing.js';
import {
  nameSchema,
  strictObject,
  titled,
  orNull,
  record,
  textSchema,
  timeSchema,
  uuidSchema,
} from '../http/schema.js';
import { exampleIds, exampleSecret, exampleTime } from '../http/exampleValues.js';
import type { JsonSchema } from '../http/route.js';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';

const statusSchema = { type: 'string', enum: [...signingKeyStatuses] };

export interface CreateSigningKeyBody {
  readonly name: string;
  readonly environment?: SigningKeyEnvironment;
}

export const createSigningKeySchema = titled(
  'NewSigningKey',
  strictObject({ name: nameSchema, environment: { type: 'string', enum: [...signingKeyEnvironments] } }, [
    'name',
  ]),
);

export interface UpdateSigningKeyBody {
  readonly name?: string;
  readonly status?: SigningKeyStatus;
}

export const updateSigningKeySchema = titled(
  'SigningKeyChanges',
  strictObject({ name: nameSchema, status: statusSchema }),
);

export interface SigningKeysQuery extends PageQuery {
  readonly name?: string;
  readonly status?: SigningKeyStatus;
}

export const signingKeysQuerySchema = pageQuerySchema(['name', 'keyId', 'status', 'createdAt', 'updatedAt'], {
  name: { type: 'string', maxLength: 255 },
  status: statusSchema,
});

const recordFields: Readonly<Record<string, JsonSchema>> = {
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

export const signingKeySchema = record('SigningKey', recordFields);

export const createdSigningKeySchema = record('CreatedSigningKey', {
  ...recordFields,
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

export const presentSigningKey = (key: SigningKey, lastUsedAt: string | null) => ({
  signingKeyId: key.signingKeyId,
  projectId: key.projectId,
  keyId: key.keyId,
  name: key.name,
  status: key.status,
  lastUsedAt,
  createdAt: key.createdAt,
  updatedAt: key.updatedAt,
});

export const presentSigningKeys = (views: ViewStore, keys: readonly SigningKey[]) =>
  presentUsed(views, keys, ({ signingKeyId }) => signingKeyId, presentSigningKey);
