import { closes, type CloseSpec } from '@roomwire/shared/wire/protocol/closes';
import type { CollectMetrics, MetricSink } from '@roomwire/shared/ports/metrics';
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

/** What is counted when metrics are collected. */
export interface MetricSources {
  readonly metrics: GatewayMetrics;
  readonly connections: ReadonlySet<{
    readonly outbox: { readonly waitingBytes: number };
    readonly session: { readonly subscriptions: { readonly size: number } } | undefined;
  }>;
  readonly retained: { readonly held: { readonly values: number; readonly bytes: number } };
  readonly groups: { readonly size: number; readonly messages: number };
  readonly presenceEntries: () => number;
  readonly gateways: () => number;
}

/** What a gateway shows of itself. Connections are gone through only when metrics are collected. */
export const gatewayMetrics =
  (sources: MetricSources): CollectMetrics =>
  (sink) => {
    countConnections(sources, sink);
    countMessages(sources.metrics, sink);
    const { retained, groups, metrics } = sources;
    const { values, bytes } = retained.held;
    sink.value('roomwire_retained_values', values);
    sink.value('roomwire_retained_bytes', bytes);
    sink.value('roomwire_retained_dropped_total', metrics.retainedDropped);
    sink.value('roomwire_worker_groups', groups.size);
    sink.value('roomwire_group_messages_open', groups.messages);
    sink.value('roomwire_group_messages_dropped_total', metrics.groupMessagesDropped);
    sink.value('roomwire_presence_entries', sources.presenceEntries());
    sink.value('roomwire_gateways', sources.gateways());
    sink.value('roomwire_webhook_calls_total', metrics.webhookCalls);
    sink.value('roomwire_webhook_calls_lost_total', metrics.webhookCallsLost);
    sink.value('roomwire_hydrations_total', metrics.hydrations);
  };

const countConnections = ({ metrics, connections }: MetricSources, sink: MetricSink): void => {
  let [waiting, largest, subscriptions] = [0, 0, 0];
  for (const { outbox, session } of connections) {
    const bytes = outbox.waitingBytes;
    waiting += bytes;
    if (bytes > largest) largest = bytes;
    subscriptions += session?.subscriptions.size ?? 0;
  }
  sink.value('roomwire_connections_open', connections.size);
  sink.value('roomwire_connections_opened_total', metrics.connectionsOpened);
  for (const [{ code, reason }, closed] of everyClose(metrics))
    sink.value('roomwire_connections_closed_total', closed, { code, reason });
  sink.value('roomwire_authentications_total', metrics.authenticated, { outcome: 'success' });
  sink.value('roomwire_authentications_total', metrics.failedAuths, { outcome: 'failure' });
  sink.value('roomwire_subscriptions', subscriptions);
  sink.value('roomwire_outbox_bytes', waiting);
  sink.value('roomwire_outbox_largest_bytes', largest);
  sink.value('roomwire_slow_consumers_closed_total', metrics.slowConsumers);
};

const countMessages = (metrics: GatewayMetrics, sink: MetricSink): void => {
  sink.value('roomwire_publishes_total', metrics.publishes);
  sink.value('roomwire_deliveries_total', metrics.deliveries);
  for (const error of everyError)
    sink.value('roomwire_refusals_total', metrics.protocolErrors[error] ?? 0, { error });
  sink.value('roomwire_messages_recorded_total', metrics.recorded);
  sink.value('roomwire_record_failures_total', metrics.recordFailures);
  sink.value('roomwire_acknowledgements_total', metrics.acks);
};

/** Also those that have not happened: what begins at 0 shows its first one as a rise. Several protocol errors share one `error`. */
const everyError = new Set<string>(Object.values(protocolErrors).map(({ error }) => error));

type Close = { readonly code: string; readonly reason: string };

const everyClose = ({ closes: made, departures }: GatewayMetrics): readonly [Close, number][] => [
  ...Object.values(closes).map(({ code, reason }): [Close, number] => [
    { code: String(code), reason },
    made[`${code} ${reason}`] ?? 0,
  ]),
  ...Object.entries(departures).map(([code, times]): [Close, number] => [{ code, reason: '' }, times]),
];
