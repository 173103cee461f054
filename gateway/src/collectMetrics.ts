import { closes } from '@roomwire/shared/wire/protocol/closes';
import { protocolErrors } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { CollectMetrics, MetricSink } from '@roomwire/shared/ports/metrics';
import type { GatewayCore } from './core.js';
import { isHostPlace } from './groups/groupHosts.js';
import type { GatewayMetrics } from './metrics.js';

type Shown = Pick<GatewayCore, 'metrics' | 'roster' | 'retained' | 'groups' | 'presence'>;

/** What a gateway shows of itself. Connections are gone through when somebody looks, and never before. */
export const gatewayMetrics =
  (core: Shown): CollectMetrics =>
  (sink) => {
    countConnections(core, sink);
    countMessages(core.metrics, sink);
    const { retained, groups, presence, metrics } = core;
    const { values, bytes } = retained.held;
    sink.value('roomwire_retained_values', values);
    sink.value('roomwire_retained_bytes', bytes);
    sink.value('roomwire_retained_dropped_total', metrics.retainedDropped);
    sink.value('roomwire_worker_groups', groups.size);
    sink.value('roomwire_group_messages_open', groups.messages);
    sink.value('roomwire_group_messages_dropped_total', metrics.groupMessagesDropped);
    sink.value('roomwire_presence_entries', presence.board.count(isHostPlace));
    sink.value('roomwire_gateways', presence.board.peers.reports.size);
    sink.value('roomwire_webhook_calls_total', metrics.webhookCalls);
    sink.value('roomwire_webhook_calls_lost_total', metrics.webhookCallsLost);
    sink.value('roomwire_hydrations_total', metrics.hydrations);
  };

const countConnections = ({ metrics, roster }: Shown, sink: MetricSink): void => {
  let [waiting, largest, subscriptions] = [0, 0, 0];
  for (const { outbox, session } of roster.connections) {
    const bytes = outbox.waitingBytes;
    waiting += bytes;
    if (bytes > largest) largest = bytes;
    subscriptions += session?.subscriptions.size ?? 0;
  }
  sink.value('roomwire_connections_open', roster.connections.size);
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
