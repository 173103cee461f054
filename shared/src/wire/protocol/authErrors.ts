/** The `error` of a failed `auth`. The reason behind `access_denied` is not told. */
export const authErrors = [
  'access_denied',
  'authentication_failed',
  'connection_failed',
  'token_expired',
  'connection_limit_reached',
  'broker_unavailable',
] as const;
export type AuthError = (typeof authErrors)[number];

/** The `error` of a failed `reauth`. */
export const reauthErrors = [...authErrors, 'actor_mismatch'] as const;
export type ReauthError = (typeof reauthErrors)[number];
