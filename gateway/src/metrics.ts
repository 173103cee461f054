import { closes, type CloseSpec } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { CollectMetrics, MetricSink } from '@roomwire/shared/ports/metrics';
import { protocolErrors, type ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';

/** Counters since the start of the gateway. */
export const createMetrics = () => ({
  connectionsOpened: 0,
  connectionsClosed: 0,
  authenticated: 0,
  failedAuths: 0,
  publishes: 0,
  /** Publishes whose id an earlier one had, which are not sent. */
  duplicatePublishes: 0,
  /** Publishes for later: stored, delivered, and refused when they were due. */
  scheduled: { accepted: 0, delivered: 0, refused: 0 },
  deliveries: 0,
  /** Second copies of messages of QoS 2, which are not delivered. */
  secondCopies: 0,
  /** Messages of logged topics that were recorded, and those that could not be. */
  recorded: 0,
  recordFailures: 0,
  /** Subscriptions that began in the record of their topic, and those to which something was missing there, by the reason. */
  replays: 0,
  replayGaps: {} as Record<string, number>,
  /** `history` frames that were answered. */
  historyReads: 0,
  /** Message ids in `ack` and `batchAck`. */
  acks: 0,
  slowConsumers: 0,
  /** Requests delayed because their connection exceeded its rate. */
  requestsThrottled: 0,
  /** Retained values evicted from memory. */
  retainedDropped: 0,
  /** Messages of worker groups dropped because too many were open. */
  groupMessagesDropped: 0,
  /** Webhook calls put on the bus, of both kinds. */
  webhookCalls: 0,
  /** Webhook calls that the bus refused: hydrations and triggers of QoS 0 publishes. */
  webhookCallsLost: 0,
  /** Answers of hydration webhooks that were sent to clients. */
  hydrations: 0,
  /** Room events that were put on the bus. */
  roomEventsPut: 0,
  /** Room events that became dead letters because too many waited. */
  roomEventsDropped: 0,
  /** Actors that were revalidated, by proof that nothing was missed, and by reading. */
  revalidated: { proof: 0, reading: 0 },
  /** By the `error` of the protocol error. */
  protocolErrors: {} as Record<string, number>,
  /** Connections that the gateway closed, by code and reason: `1013 slow_consumer`. */
  closes: {} as Record<string, number>,
  /** Connections that the client or the network closed, by code. */
  departures: {} as Record<string, number>,
});

export type GatewayMetrics = ReturnType<typeof createMetrics>;

export const countProtocolError = (metrics: GatewayMetrics, name: ProtocolErrorName): void => {
  const { error } = protocolErrors[name];
  metrics.protocolErrors[error] = (metrics.protocolErrors[error] ?? 0) + 1;
};

export const countClose = (metrics: GatewayMetrics, { code, reason }: CloseSpec): void => {
  const close = `${code} ${reason}`;
  metrics.closes[close] = (metrics.closes[close] ?? 0) + 1;
};

/** Close codes that get a series of their own; others are counted together, since a client may send any code. */
const knownDepartures: ReadonlySet<number> = new Set([
  ...[1000, 1001, 1002, 1003, 1005, 1006, 1007, 1008, 1009, 1010, 1011],
]);

export const countDeparture = (metrics: GatewayMetrics, code: number): void => {
  const departure = knownDepartures.has(code) ? String(code) : 'other';
  metrics.departures[departure] = (metrics.departures[departure] ?? 0) + 1;
};

/** Gauges that are computed when metrics are collected. */
export interface MetricSources {
  readonly metrics: GatewayMetrics;
  readonly connections: ReadonlySet<{
    readonly outbox: { readonly waitingBytes: number };
    readonly session: { readonly subscriptions: { readonly size: number } } | undefined;
  }>;
  readonly unauthenticated: { readonly size: number };
  readonly retained: { readonly held: { readonly values: number; readonly bytes: number } };
  readonly groups: { readonly size: number; readonly messages: number };
  /** Bytes by kind. */
  readonly sharedMemory: () => Readonly<Record<string, number>>;
  /** Reads of the record that wait for their turn. */
  readonly historyWaiting: () => number;
  /** Of worker groups with jobs. */
  readonly jobs: CollectMetrics;
  /** Of connections. */
  readonly facts: CollectMetrics;
  readonly presenceEntries: () => number;
  readonly gateways: () => number;
  /** Room events that wait, and the age of the oldest. */
  readonly roomEvents: () => { readonly waiting: number; readonly oldestMs: number };
  /** How long the scheduled publish that is due for longest has been so. */
  readonly scheduledLateMs: () => number;
  /** By work. */
  readonly shards: () => ReadonlyMap<string, number>;
}

/** The metrics of a gateway. Iterates over the connections only on collection. */
export const gatewayMetrics =
  (sources: MetricSources): CollectMetrics =>
  (sink) => {
    countConnections(sources, sink);
    countMessages(sources.metrics, sink);
    const { retained, groups, metrics } = sources;
    const { values, bytes } = retained.held;
    for (const by of ['proof', 'reading'] as const)
      sink.value('roomwire_revalidated_actors_total', metrics.revalidated[by], { by });
    sink.value('roomwire_retained_values', values);
    sink.value('roomwire_retained_bytes', bytes);
    sink.value('roomwire_retained_dropped_total', metrics.retainedDropped);
    for (const [kind, held] of Object.entries(sources.sharedMemory()))
      sink.value('roomwire_shared_memory_bytes', held, { kind });
    sink.value('roomwire_worker_groups', groups.size);
    sink.value('roomwire_group_messages_open', groups.messages);
    sink.value('roomwire_group_messages_dropped_total', metrics.groupMessagesDropped);
    void sources.jobs(sink);
    void sources.facts(sink);
    sink.value('roomwire_history_waiting', sources.historyWaiting());
    sink.value('roomwire_presence_entries', sources.presenceEntries());
    sink.value('roomwire_gateways', sources.gateways());
    sink.value('roomwire_scheduled_late_seconds', sources.scheduledLateMs() / 1_000);
    for (const [work, shards] of sources.shards()) sink.value('roomwire_shards_owned', shards, { work });
    sink.value('roomwire_webhook_calls_total', metrics.webhookCalls);
    sink.value('roomwire_webhook_calls_lost_total', metrics.webhookCallsLost);
    sink.value('roomwire_hydrations_total', metrics.hydrations);
    sink.value('roomwire_room_events_total', metrics.roomEventsPut);
    sink.value('roomwire_room_events_dropped_total', metrics.roomEventsDropped);
    const { waiting, oldestMs } = sources.roomEvents();
    sink.value('roomwire_room_events_waiting', waiting);
    sink.value('roomwire_room_events_oldest_seconds', oldestMs / 1_000);
  };

const countConnections = (
  { metrics, connections, unauthenticated }: MetricSources,
  sink: MetricSink,
): void => {
  let [waiting, largest, subscriptions] = [0, 0, 0];
  for (const { outbox, session } of connections) {
    const bytes = outbox.waitingBytes;
    waiting += bytes;
    if (bytes > largest) largest = bytes;
    subscriptions += session?.subscriptions.size ?? 0;
  }
  sink.value('roomwire_connections_open', connections.size);
  sink.value('roomwire_connections_unauthenticated', unauthenticated.size);
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
  sink.value('roomwire_duplicate_publishes_total', metrics.duplicatePublishes);
  for (const [outcome, times] of Object.entries(metrics.scheduled))
    sink.value('roomwire_scheduled_publishes_total', times, { outcome });
  sink.value('roomwire_deliveries_total', metrics.deliveries);
  for (const error of everyError)
    sink.value('roomwire_refusals_total', metrics.protocolErrors[error] ?? 0, { error });
  sink.value('roomwire_messages_recorded_total', metrics.recorded);
  sink.value('roomwire_record_failures_total', metrics.recordFailures);
  sink.value('roomwire_acknowledgements_total', metrics.acks);
  sink.value('roomwire_replays_total', metrics.replays);
  for (const reason of gapReasons)
    sink.value('roomwire_replay_gaps_total', metrics.replayGaps[reason] ?? 0, { reason });
  sink.value('roomwire_history_reads_total', metrics.historyReads);
};

const gapReasons = ['expired', 'limit', 'unknown'];

/** Includes errors with a count of 0, so that the first one shows as a rise. Several protocol errors share one `error`. */
const everyError = new Set<string>(Object.values(protocolErrors).map(({ error }) => error));

type Close = { readonly code: string; readonly reason: string };

const everyClose = ({ closes: made, departures }: GatewayMetrics): readonly [Close, number][] => [
  ...Object.values(closes).map(({ code, reason }): [Close, number] => [
    { code: String(code), reason },
    made[`${code} ${reason}`] ?? 0,
  ]),
  ...Object.entries(departures).map(([code, times]): [Close, number] => [{ code, reason: '' }, times]),
];
