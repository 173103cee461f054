import type { HappenedEvent } from './eventEnvelope.js';
import type { Permission } from './permission.js';

export interface ApiKeyFields {
  readonly apiKeyId: string;
  readonly organizationId: string;
  /** Null for a key of the organization alone, which opens no project endpoint. */
  readonly projectId: string | null;
  /** Public, `ak_live_<id>`. */
  readonly keyId: string;
  readonly name: string;
  readonly expiresAt: string | null;
  /** Null for all of them. */
  readonly permissions: readonly Permission[] | null;
  /** Networks and addresses that it may be used from; null for any. */
  readonly allowedAddresses: readonly string[] | null;
  /** SHA-256 of the secret, hex. */
  readonly secretHash: string;
}

export interface ApiKey extends ApiKeyFields {
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type ApiKeyEvent =
  | { readonly type: 'ApiKeyCreated'; readonly data: ApiKeyFields }
  | { readonly type: 'ApiKeyRevoked'; readonly data: { readonly apiKeyId: string } };

export const apiKeyStream = (apiKeyId: string): string => `apiKey-${apiKeyId}`;

export const createdApiKey = (fields: ApiKeyFields, at: string): ApiKey => ({
  ...fields,
  createdAt: at,
  updatedAt: at,
});

export const evolveApiKey = (
  _apiKey: ApiKey | undefined,
  event: HappenedEvent<ApiKeyEvent>,
): ApiKey | undefined => {
  switch (event.type) {
    case 'ApiKeyCreated':
      return createdApiKey(event.data, event.occurredAt);
    case 'ApiKeyRevoked':
      return undefined;
  }
};
