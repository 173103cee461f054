export interface CloseSpec {
  readonly code: number;
  readonly reason: string;
}

/** Every way in which the gateway ends a connection. A frame over 1 MiB is closed by the WebSocket layer, with 1009. */
export const closes = {
  tooManyMalformedFrames: { code: 1008, reason: 'too_many_malformed_frames' },
  tooManyFailedAuths: { code: 1008, reason: 'too_many_failed_auths' },
  serviceRestart: { code: 1012, reason: 'service_restart' },
  slowConsumer: { code: 1013, reason: 'slow_consumer' },
  idleTimeout: { code: 4000, reason: 'idle_timeout' },
  tokenRevoked: { code: 4001, reason: 'token_revoked' },
  tokenExpired: { code: 4001, reason: 'token_expired' },
  tokenNotFound: { code: 4001, reason: 'token_not_found' },
  projectNotFound: { code: 4001, reason: 'project_not_found' },
  scopeInactive: { code: 4001, reason: 'scope_inactive' },
  connectionLimitReached: { code: 4002, reason: 'connection_limit_reached' },
  /** Preceded by a `disconnect` frame. */
  clientTokenExpired: { code: 4003, reason: 'token_expired' },
} as const satisfies Record<string, CloseSpec>;

export type CloseName = keyof typeof closes;
