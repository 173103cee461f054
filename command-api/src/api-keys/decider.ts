import {
  apiKeyStream,
  evolveApiKey,
  type ApiKey,
  type ApiKeyEvent,
  type ApiKeyFields,
} from '@roomwire/shared/domain/apiKey';
import { targetOf, type Decider } from '../handling/writeModel.js';
import { Rejection } from '../handling/rejections.js';

interface ExistingApiKey {
  readonly apiKeyId: string;
  readonly organizationId: string;
  readonly projectId: string | null;
}

export type ApiKeyCommand =
  | { readonly type: 'CreateApiKey'; readonly apiKey: ApiKeyFields }
  | ({ readonly type: 'RevokeApiKey' } & ExistingApiKey);

export type ApiKeyState = ApiKey | undefined;

export const apiKeyDecider: Decider<ApiKeyState, ApiKeyCommand, ApiKeyEvent> = {
  initial: () => undefined,
  evolve: evolveApiKey,
  decide(command, apiKey) {
    switch (command.type) {
      case 'CreateApiKey':
        return apiKey ? [] : [{ type: 'ApiKeyCreated', data: command.apiKey }];
      case 'RevokeApiKey':
        existing(apiKey, command);
        return [{ type: 'ApiKeyRevoked', data: { apiKeyId: command.apiKeyId } }];
    }
  },
};

export const apiKeyTarget = targetOf(apiKeyStream, apiKeyDecider);

/** A key of another project, or of another organization, does not exist. */
export const existing = (
  apiKey: ApiKeyState,
  { apiKeyId, organizationId, projectId }: ExistingApiKey,
): ApiKey => {
  if (apiKey?.organizationId !== organizationId || apiKey.projectId !== projectId)
    throw new Rejection('api_key_not_found', { apiKeyId });
  return apiKey;
};
