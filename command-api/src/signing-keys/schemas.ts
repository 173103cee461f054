import {
  signingKeyEnvironments,
  signingKeyStatuses,
  type SigningKeyEnvironment,
  type SigningKeyStatus,
} from '@roomwire/shared/domain/signing-keys/signingKey';
import { pageQuerySchema, type PageQuery } from '../http/listing.js';
import { nameSchema, strictObject, titled } from '../http/schema.js';

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
