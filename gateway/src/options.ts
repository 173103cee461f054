export interface GatewayOptions {
  /** Whose pages may open WebSockets, as browsers write their `Origin`; `*` for anybody's. */
  readonly allowedOrigins: readonly string[] | '*';
  /** Accepted publishes a second and connection, and a quarter of the refused ones; 0 is no limit. */
  readonly publishRate: number;
  /** What a connection may ask for a second, ten times as many at once, before it has to wait; 0 is no limit. */
  readonly requestRate: number;
  /** Without a frame for this long a connection is closed. */
  readonly idleTimeoutMs: number;
  /** What runs out (tokens, actors, grants) is ended at most this long after. */
  readonly expirySweepMs: number;
  /** Every connection's rights are read anew this often, whatever the domain events said. */
  readonly revalidationMs: number;
  /** What projects publish is counted together with the other gateways this often. */
  readonly usageMs: number;
  /** Bytes that may wait for a slow reader before it is closed. */
  readonly outboxBytes: number;
  /** Gateways let one another know that they are alive this often. */
  readonly beatMs: number;
  /** A gateway that is silent for this long is dead, and what it brought in is over. */
  readonly silenceMs: number;
  /** For this long after its start a gateway waits for what the others have to tell, before it answers who is present. */
  readonly answersMs: number;
  /** What the bus has stored comes back within this time; nobody waits for it longer. */
  readonly returnMs: number;
  /** Announcements of presence a second and connection; 0 is no limit. */
  readonly presenceRate: number;
  /** Memory for the last values of topics; those that were used least recently are dropped. */
  readonly retainedBytes: number;
  /** How long a retained message may be on its way to live subscribers before those who have just joined get it as the last value. */
  readonly retainedGraceMs: number;
  /** Messages of a worker group that may be waiting or unacknowledged, and their bytes; the oldest are dropped. */
  readonly groupMessages: number;
  readonly groupBytes: number;
  /** How long a peer may take to answer a close before the socket is cut. */
  readonly closeGraceMs: number;
}

export const defaultOptions: GatewayOptions = {
  allowedOrigins: '*',
  publishRate: 50,
  requestRate: 100,
  idleTimeoutMs: 60_000,
  expirySweepMs: 1_000,
  revalidationMs: 600_000,
  usageMs: 1_000,
  outboxBytes: 8 * 1024 * 1024,
  beatMs: 3_000,
  silenceMs: 12_000,
  answersMs: 500,
  returnMs: 2_000,
  presenceRate: 50,
  retainedBytes: 64 * 1024 * 1024,
  retainedGraceMs: 1_000,
  groupMessages: 10_000,
  groupBytes: 64 * 1024 * 1024,
  closeGraceMs: 2_000,
};
