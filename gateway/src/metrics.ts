import type { CloseSpec } from '@roomwire/shared/wire/protocol/closes';
import { protocolErrors, type ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';

/** What the gateway has counted since it was made; whoever exports metrics reads it. */
export interface GatewayMetrics {
  connectionsOpened: number;
  connectionsClosed: number;
  authenticated: number;
  failedAuths: number;
  publishes: number;
  deliveries: number;
  /** That the bus delivered of messages of QoS 2, and that went no further. */
  secondCopies: number;
  /** Messages of logged topics, and those of them that could not be recorded. */
  recorded: number;
  recordFailures: number;
  /** Message ids in `ack` and `batchAck`. */
  acks: number;
  slowConsumers: number;
  /** That had to wait because their connection had asked for too much. */
  requestsSlowed: number;
  /** Last values of topics that made room for others. */
  retainedDropped: number;
  /** Messages of worker groups that were dropped because too many were not done. */
  groupMessagesDropped: number;
  /** That were put on the bus, of both kinds. */
  webhookCalls: number;
  /** That the bus did not take: hydrations, and triggers of publishes that nobody waited for. */
  webhookCallsLost: number;
  /** Answers of hydration webhooks that were sent on. */
  hydrations: number;
  /** By the `error` of the protocol error. */
  readonly protocolErrors: Record<string, number>;
  /** By code and reason, of those that the gateway closed: `1013 slow_consumer`. */
  readonly closes: Record<string, number>;
  /** By code, of those that the client or the network closed. */
  readonly departures: Record<string, number>;
}

export const createMetrics = (): GatewayMetrics => ({
  connectionsOpened: 0,
  connectionsClosed: 0,
  authenticated: 0,
  failedAuths: 0,
  publishes: 0,
  deliveries: 0,
  secondCopies: 0,
  recorded: 0,
  recordFailures: 0,
  acks: 0,
  slowConsumers: 0,
  requestsSlowed: 0,
  retainedDropped: 0,
  groupMessagesDropped: 0,
  webhookCalls: 0,
  webhookCallsLost: 0,
  hydrations: 0,
  protocolErrors: {},
  closes: {},
  departures: {},
});

export const countProtocolError = (metrics: GatewayMetrics, name: ProtocolErrorName): void => {
  const { error } = protocolErrors[name];
  metrics.protocolErrors[error] = (metrics.protocolErrors[error] ?? 0) + 1;
};

export const countClose = (metrics: GatewayMetrics, { code, reason }: CloseSpec): void => {
  const close = `${code} ${reason}`;
  metrics.closes[close] = (metrics.closes[close] ?? 0) + 1;
};

/** What clients and WebSocket layers close with; a client may send whatever it likes. */
const knownDepartures: ReadonlySet<number> = new Set([
  ...[1000, 1001, 1002, 1003, 1005, 1006, 1007, 1008, 1009, 1010, 1011],
]);

export const countDeparture = (metrics: GatewayMetrics, code: number): void => {
  const departure = knownDepartures.has(code) ? String(code) : 'other';
  metrics.departures[departure] = (metrics.departures[departure] ?? 0) + 1;
};
