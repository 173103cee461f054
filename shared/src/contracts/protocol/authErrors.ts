/** The `error` of a failed `auth`. The reason behind `access_denied` is not told. */
export type AuthError =
  | 'access_denied'
  | 'authentication_failed'
  | 'connection_failed'
  | 'token_expired'
  | 'connection_limit_reached'
  | 'broker_unavailable';

/** The `error` of a failed `reauth`. */
export type ReauthError = AuthError | 'actor_mismatch';
