import { limitTable } from '@roomwire/shared/wire/limits/limitTable';

export const defaultOptions = {
  /** Origins, as browsers send them, whose pages may open WebSockets; `*` for all. */
  allowedOrigins: '*' as readonly string[] | '*',
  /** Proxies in front of the gateway that append to `X-Forwarded-For`. */
  trustedProxies: 0,
  /** Sockets of clients that have not authenticated, in all and of one address. */
  unauthenticatedSockets: limitTable.unauthenticatedSockets.value,
  unauthenticatedSocketsPerAddress: limitTable.unauthenticatedSocketsPerAddress.value,
  /** Connections of one actor. */
  connectionsPerActor: limitTable.connectionsPerActor.value,
  /** Accepted publishes per second and connection; four times as many may be refused. 0 is no limit. */
  publishRate: limitTable.publishRate.value,
  /** Requests per second and connection, with bursts of ten times as many; further ones wait. 0 is no limit. */
  requestRate: limitTable.requestRate.value,
  /** A connection without a frame for this long is closed. */
  idleTimeoutMs: limitTable.idleMs.value,
  /** A connection that is not authenticated this long after its handshake is closed. */
  authenticationMs: limitTable.authenticationMs.value,
  /** A message that has begun in fragments and is not whole after this time closes its connection. */
  messageMs: limitTable.messageMs.value,
  /** The longest that the answer to a failed authentication is delayed; 0 delays none. */
  failedAuthDelayMs: limitTable.failedAuthDelayMs.value,
  /** Expired tokens, actors and grants take effect at most this long after their expiry. */
  expirySweepMs: 1_000,
  /** Interval at which the rights of every connection are read again, independent of domain events. */
  revalidationMs: 600_000,
  /** Interval at which a gateway looks whether its read models are left behind by an upgrade. */
  leftBehindMs: 1_000,
  /** It then closes its connections over this time. */
  leavingMs: 10_000,
  /** Interval at which a gateway looks for scheduled publishes that are due. */
  scheduleLookMs: 300,
  /** Interval at which gateways exchange the publish counts of projects. */
  usageMs: 1_000,
  /** Bytes that may wait for a slow reader before it is closed. */
  outboxBytes: limitTable.outboxBytes.value,
  /** Memory in bytes that all slow readers may take together. */
  outboxMemoryBytes: limitTable.outboxMemory.value,
  /** Interval of the heartbeats between gateways. */
  beatMs: 3_000,
  /** A gateway that is silent for this long is dead: its presences and its members of worker groups are removed. */
  silenceMs: 12_000,
  /** How long a gateway waits after its start for the presences of the others before it answers presence requests. */
  answersMs: 500,
  /** How long to wait for an own record to come back from the bus. */
  returnMs: 2_000,
  /** How long another process may take to answer a question, and after which time another one is asked as well. */
  patienceMs: 5_000,
  hesitationMs: 1_000,
  /** Presence announcements per second and connection; 0 is no limit. */
  presenceRate: limitTable.presenceRate.value,
  /** Memory in bytes for the addresses that sessions remember. */
  addressMemoryBytes: limitTable.addressMemory.value,
  /** Memory in bytes for the presences of all gateways. */
  presenceMemoryBytes: limitTable.presenceMemory.value,
  /** Memory for the last values of topics; the least recently used are dropped. */
  retainedBytes: limitTable.retainedBytes.value,
  /** Subscriptions of a connection, and their memory in bytes, of it and of all connections. */
  maxSubscriptions: limitTable.subscriptions.value,
  subscriptionBytesPerConnection: limitTable.subscriptionBytesPerConnection.value,
  subscriptionBytes: limitTable.subscriptionBytes.value,
  /** How late a retained message may arrive live before new subscribers get it as the last value. */
  retainedGraceMs: 1_000,
  /** Maximum number and bytes of open messages of a worker group; the oldest are dropped. */
  groupMessages: limitTable.groupMessages.value,
  groupBytes: limitTable.groupBytes.value,
  /** How long the id of a publish stands for its message, which may be sent once more until then. */
  deduplicationMs: limitTable.deduplicationMs.value,
  /** Maximum number and bytes of the jobs of a worker group; the oldest become dead letters. */
  groupJobs: limitTable.groupJobs.value,
  groupJobBytes: limitTable.groupJobBytes.value,
  /** Memory in bytes for the open messages of all worker groups. */
  groupMemoryBytes: limitTable.groupMemory.value,
  /** How long a peer may take to answer a close before the socket is terminated. */
  closeGraceMs: 2_000,
};

export type GatewayOptions = Readonly<typeof defaultOptions>;
