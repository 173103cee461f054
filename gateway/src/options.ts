export interface GatewayOptions {
  /** Whose pages may open WebSockets, as browsers write their `Origin`; `*` for anybody's. */
  readonly allowedOrigins: readonly string[] | '*';
  /** Accepted publishes a second and connection, and a quarter of the refused ones; 0 is no limit. */
  readonly publishRate: number;
  /** Without a frame for this long a connection is closed. */
  readonly idleTimeoutMs: number;
  /** What runs out (tokens, actors, grants) is ended at most this long after. */
  readonly expirySweepMs: number;
  /** Every connection's rights are read anew this often, whatever the domain events said. */
  readonly revalidationMs: number;
  /** Bytes that may wait for a slow reader before it is closed. */
  readonly outboxBytes: number;
  /** How long a peer may take to answer a close before the socket is cut. */
  readonly closeGraceMs: number;
}

export const defaultOptions: GatewayOptions = {
  allowedOrigins: '*',
  publishRate: 50,
  idleTimeoutMs: 60_000,
  expirySweepMs: 1_000,
  revalidationMs: 600_000,
  outboxBytes: 8 * 1024 * 1024,
  closeGraceMs: 2_000,
};
