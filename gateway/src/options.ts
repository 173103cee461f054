export const defaultOptions = {
  /** Origins, as browsers send them, whose pages may open WebSockets; `*` for all. */
  allowedOrigins: '*' as readonly string[] | '*',
  /** Accepted publishes a second and connection, and a quarter of the refused ones; 0 is no limit. */
  publishRate: 50,
  /** Requests a second and connection, ten times as many at once, before they have to wait; 0 is no limit. */
  requestRate: 100,
  /** A connection without a frame for this long is closed. */
  idleTimeoutMs: 60_000,
  /** What expires (tokens, actors, grants) is ended at most this long after. */
  expirySweepMs: 1_000,
  /** The rights of every connection are read again this often, whatever the domain events said. */
  revalidationMs: 600_000,
  /** What projects publish is added up over all gateways this often. */
  usageMs: 1_000,
  /** Bytes that may wait for a slow reader before it is closed. */
  outboxBytes: 8 * 1024 * 1024,
  /** Interval of the heartbeats between gateways. */
  beatMs: 3_000,
  /** A gateway that is silent for this long is dead, and its presences and members end. */
  silenceMs: 12_000,
  /** For this long after its start a gateway waits for what the others know, before it answers who is present. */
  answersMs: 500,
  /** What the bus has stored comes back within this time; it is not waited for longer. */
  returnMs: 2_000,
  /** Announcements of presence a second and connection; 0 is no limit. */
  presenceRate: 50,
  /** Memory for the last values of topics; the least recently used are dropped. */
  retainedBytes: 64 * 1024 * 1024,
  /** How late a retained message may arrive live before new subscribers get it as the last value. */
  retainedGraceMs: 1_000,
  /** Messages of a worker group that may be waiting or unacknowledged, and their bytes; the oldest are dropped. */
  groupMessages: 10_000,
  groupBytes: 64 * 1024 * 1024,
  /** How long a peer may take to answer a close before the socket is cut. */
  closeGraceMs: 2_000,
};

export type GatewayOptions = Readonly<typeof defaultOptions>;
