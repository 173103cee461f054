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

const allowExternalActors = s.flag({
  description: 'Whether its tokens may name actors of which there is no record, `ext:` and a name',
});

export const createSigningKeySchema = s.titled(
  'NewSigningKey',
  s.strictObject({ name: s.name, environment: s.oneOf(signingKeyEnvironments), allowExternalActors }, [
    'name',
  ]),
);

export const updateSigningKeySchema = s.titled(
  'SigningKeyChanges',
  s.strictObject({ name: s.name, status: statusSchema, allowExternalActors }),
);

export const signingKeysQuerySchema = pageQuerySchema(['name', 'keyId', 'status', 'createdAt', 'updatedAt'], {
  name: s.text({ maxLength: 255 }),
  status: statusSchema,
});

const shownFields = {
  signingKeyId: s.uuid,
  projectId: s.uuid,
  keyId: s.text({ description: 'Public: `sk_live_<id>` or `sk_sandbox_<id>`, the `kid` of client tokens' }),
  name: s.text(),
  status: statusSchema,
  lastUsedAt: s.orNull(s.time),
  createdAt: s.time,
  updatedAt: s.time,
};

const onlyWhereTrue = {
  allowExternalActors: s.described(
    s.only(true),
    'Only where its tokens may name actors of which there is no record',
  ),
};
const alwaysThere = Object.keys(shownFields) as (keyof typeof shownFields)[];

export const signingKeySchema = s.titled(
  'SigningKey',
  s.strictObject({ ...shownFields, ...onlyWhereTrue }, alwaysThere),
);

const signingKey = s.text({ description: '`<keyId>.<secret>`; shown only in this answer' });

export const createdSigningKeySchema = s.titled(
  'CreatedSigningKey',
  s.strictObject({ ...shownFields, ...onlyWhereTrue, signingKey }, [...alwaysThere, 'signingKey']),
);

type SigningKeyAnswer = s.ValueOf<typeof signingKeySchema>;

export const presentSigningKey = (key: SigningKey, lastUsedAt: string | null): SigningKeyAnswer => ({
  signingKeyId: key.signingKeyId,
  projectId: key.projectId,
  keyId: key.keyId,
  name: key.name,
  status: key.status,
  ...(key.allowExternalActors && { allowExternalActors: true }),
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
