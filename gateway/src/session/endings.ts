import type { StandingRule } from '@roomwire/shared/domain/standing';
import { closes, type CloseSpec } from '@roomwire/shared/wire/protocol/protocolErrors';

/** Why the service ends a session whose client did nothing wrong. The access log has it; the client learns the close alone. */
export type Ending =
  | StandingRule
  | 'signing_key_inactive'
  | 'external_actors_not_allowed'
  | 'token_revoked'
  | 'session_revoked'
  | 'connection_limit';

export const closeOf: { readonly [E in Ending]: CloseSpec } = {
  actor_missing: closes.tokenNotFound,
  actor_disabled: closes.tokenRevoked,
  actor_expired: closes.tokenExpired,
  project_missing: closes.projectNotFound,
  organization_suspended: closes.tokenRevoked,
  scope_inactive: closes.scopeInactive,
  signing_key_inactive: closes.tokenRevoked,
  external_actors_not_allowed: closes.tokenRevoked,
  token_revoked: closes.tokenRevoked,
  session_revoked: closes.tokenRevoked,
  connection_limit: closes.connectionLimitReached,
};
