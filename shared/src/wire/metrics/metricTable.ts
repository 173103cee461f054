/** The source of a metric: a service, or any Roomwire process. */
export type MetricOrigin =
  'command-api' | 'projections' | 'gateway' | 'webhook-consumer' | 'analytics' | 'process';

interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** A sentence without its full stop. */
  readonly help: string;
  /** No label has values that customers choose, because the number of series would be unbounded. */
  readonly labels: readonly string[];
  readonly from: MetricOrigin;
}

type Labels = readonly string[];

const counter = <const L extends Labels>(from: MetricOrigin, help: string, ...labels: L) =>
  ({ type: 'counter', help, labels, from }) as const;
const gauge = <const L extends Labels>(from: MetricOrigin, help: string, ...labels: L) =>
  ({ type: 'gauge', help, labels, from }) as const;
const histogram = <const L extends Labels>(from: MetricOrigin, help: string, ...labels: L) =>
  ({ type: 'histogram', help, labels, from }) as const;

/**
 * Every metric of Roomwire, by its name in Prometheus: in seconds and bytes, `_total` for counters. Tests compare the
 * services, the dashboard, the alerts and `docs/METRICS.md` with this table.
 */
export const metricTable = {
  roomwire_build_info: gauge('process', 'Always 1; the labels say what runs', 'version'),
  roomwire_scrape_failures_total: counter(
    'process',
    'Parts of a scrape that could not be answered in time, for instance because an engine is away',
    'source',
  ),
  roomwire_bus_reachable: gauge(
    'process',
    'Whether the message bus was within reach when it was last needed',
  ),
  roomwire_bus_lag_records: gauge(
    'process',
    'Records and jobs of a bus topic that this process is to take and has not finished; for work queues this is the backlog',
    'topic',
  ),
  roomwire_bus_records_read_total: counter(
    'process',
    'Records that this process has received of a channel, wanted or not; none without Kafka',
    'topic',
  ),
  roomwire_bus_read_bytes_total: counter(
    'process',
    'Bytes that this process has received for a channel; none without Kafka',
    'topic',
  ),
  roomwire_limit_reached_total: counter(
    'process',
    'Refusals, drops and waits at a limit that no other metric counts',
    'limit',
  ),

  roomwire_connections_open: gauge('gateway', 'Open WebSockets'),
  roomwire_connections_unauthenticated: gauge('gateway', 'Of them, those that have not authenticated'),
  roomwire_connections_opened_total: counter('gateway', 'WebSockets that were opened'),
  roomwire_connections_closed_total: counter(
    'gateway',
    'WebSockets that were closed; the reason is empty where the client or the network closed them',
    'code',
    'reason',
  ),
  roomwire_authentications_total: counter('gateway', 'Answers to auth frames', 'outcome'),
  roomwire_revalidated_actors_total: counter(
    'gateway',
    'Actors whose rights were checked again, by reading their records or by proof that no change of them was missed',
    'by',
  ),
  roomwire_subscriptions: gauge('gateway', 'Subscriptions of the open connections'),
  roomwire_publishes_total: counter('gateway', 'Publishes that passed every check'),
  roomwire_duplicate_publishes_total: counter(
    'gateway',
    'Publishes that were not sent, because an earlier one had their id',
  ),
  roomwire_replays_total: counter('gateway', 'Subscriptions that began in the record of their topic'),
  roomwire_replay_gaps_total: counter(
    'gateway',
    'Subscriptions of these for which messages were missing in the record, by the reason',
    'reason',
  ),
  roomwire_history_reads_total: counter('gateway', 'Requests for messages of the record on the socket'),
  roomwire_connection_facts_written_total: counter('gateway', 'Facts of connections that were written'),
  roomwire_connection_facts_lost_total: counter(
    'gateway',
    'Facts of connections that could not be written: the record says of which time',
  ),
  roomwire_connection_facts_waiting_bytes: gauge('gateway', 'Facts of connections that are not written yet'),
  roomwire_history_waiting: gauge('gateway', 'Replays and reads of the record that wait for their turn'),
  roomwire_deliveries_total: counter('gateway', 'Messages that were handed to connections'),
  roomwire_refusals_total: counter('gateway', 'Error frames that were sent, by their error', 'error'),
  roomwire_outbox_bytes: gauge('gateway', 'Bytes that wait for readers, of all connections'),
  roomwire_outbox_largest_bytes: gauge(
    'gateway',
    'Bytes that wait for the slowest reader; it is closed past the bound of 8 MiB',
  ),
  roomwire_slow_consumers_closed_total: counter(
    'gateway',
    'Connections that were closed because they did not read what was sent',
  ),
  roomwire_shared_memory_bytes: gauge(
    'gateway',
    'Memory with a budget that projects share: subscriptions, open messages of worker groups, presences, addresses that sessions remember, messages that wait behind replays, and those that wait for their turns in very large rooms',
    'kind',
  ),
  roomwire_retained_values: gauge('gateway', 'Last values of topics in memory'),
  roomwire_retained_bytes: gauge('gateway', 'Memory that the last values of topics take'),
  roomwire_retained_dropped_total: counter('gateway', 'Last values of topics that made room for others'),
  roomwire_messages_recorded_total: counter('gateway', 'Messages of logged topics that were to be recorded'),
  roomwire_record_failures_total: counter('gateway', 'Messages of logged topics that could not be recorded'),
  roomwire_acknowledgements_total: counter('gateway', 'Message ids that clients acknowledged'),
  roomwire_worker_groups: gauge('gateway', 'Worker groups with members on this gateway'),
  roomwire_group_messages_open: gauge(
    'gateway',
    'Messages of these groups that are not done, as this gateway knows it of all gateways: not to be added up over them',
  ),
  roomwire_group_messages_dropped_total: counter(
    'gateway',
    'Messages of worker groups that were dropped because too many were not done',
  ),
  roomwire_job_groups: gauge('gateway', 'Worker groups with jobs that this gateway owns'),
  roomwire_job_group_depth: gauge(
    'gateway',
    'Jobs of these groups that are not settled: they wait, are delayed, or members have them',
  ),
  roomwire_job_group_bytes: gauge('gateway', 'Bytes of the messages of these jobs'),
  roomwire_job_group_oldest_seconds: gauge(
    'gateway',
    'Time since the oldest of these jobs was published; 0 without any',
  ),
  roomwire_jobs_in_flight: gauge('gateway', 'Jobs of these groups that members have and have not settled'),
  roomwire_jobs_added_total: counter('gateway', 'Jobs that groups have got'),
  roomwire_jobs_handed_out_total: counter('gateway', 'Jobs that were handed to members, each time'),
  roomwire_jobs_redelivered_total: counter('gateway', 'Jobs that were handed out and had been before'),
  roomwire_jobs_acknowledged_total: counter('gateway', 'Jobs that members have acknowledged'),
  roomwire_jobs_timed_out_total: counter('gateway', 'Jobs that a member has not acknowledged in time'),
  roomwire_jobs_given_back_total: counter('gateway', 'Jobs that a member has given back'),
  roomwire_jobs_dead_total: counter(
    'gateway',
    'Jobs that became dead letters, because they were delivered too often, or because their group was full',
    'cause',
  ),
  roomwire_presence_entries: gauge(
    'gateway',
    'Actors present in rooms, as this gateway knows it of all gateways: not to be added up over them',
  ),
  roomwire_gateways: gauge('gateway', 'Gateways that are alive, as this one knows it, itself included'),
  roomwire_gateway_threads: gauge(
    'gateway',
    'Threads that have the sockets of this process and run; absent where the main thread has them',
  ),
  roomwire_gateway_thread_restarts_total: counter(
    'gateway',
    'How often a thread has died and was started anew',
    'thread',
  ),
  roomwire_gateway_thread_sockets: gauge('gateway', 'Sockets that a thread has', 'thread'),
  roomwire_gateway_thread_utilization: gauge(
    'gateway',
    'Share of its time, from 0 to 1, in which a thread was at work since it began',
    'thread',
  ),
  roomwire_gateway_thread_blocked_seconds: gauge(
    'gateway',
    'For how long the event loop of a thread has not turned, once that is 2 s; 0 where it does',
    'thread',
  ),
  roomwire_scheduled_publishes_total: counter(
    'gateway',
    'Publishes for later, by what became of them: accepted, delivered, or refused when they were due',
    'outcome',
  ),
  roomwire_scheduled_late_seconds: gauge(
    'gateway',
    'How long the scheduled publish that is due for longest was due when this gateway looked last; more than a second is a backlog',
  ),
  roomwire_shards_owned: gauge(
    'gateway',
    'Shards of a divided work that this gateway owns; 64 over all of them',
    'work',
  ),
  roomwire_webhook_calls_total: counter('gateway', 'Webhook calls that were put on the bus'),
  roomwire_webhook_calls_lost_total: counter('gateway', 'Webhook calls that the bus did not take'),
  roomwire_hydrations_total: counter(
    'gateway',
    'Answers of hydration webhooks that were sent on to subscribers',
  ),
  roomwire_room_events_total: counter(
    'gateway',
    'Room events that were put on the bus for their webhooks, those that were put again too',
  ),
  roomwire_room_events_dropped_total: counter(
    'gateway',
    'Room events that became dead letters without a call, because too many of their room waited',
  ),
  roomwire_room_events_waiting: gauge(
    'gateway',
    'Room events of the shards of this gateway that were not delivered yet',
  ),
  roomwire_room_events_oldest_seconds: gauge('gateway', 'Age of the oldest of them; 0 where none waits'),

  roomwire_http_request_duration_seconds: histogram(
    'command-api',
    'Time from the head of a REST request to its answer',
    'method',
    'route',
    'status',
  ),
  roomwire_http_publishes_total: counter(
    'command-api',
    'Messages that came over HTTP, by what became of them: accepted, duplicate, refused',
    'outcome',
  ),
  roomwire_http_requests_in_flight: gauge('command-api', 'REST requests that are being answered'),
  roomwire_read_model_waits_expired_total: counter(
    'command-api',
    'Writes that were answered before the read models showed them',
  ),
  roomwire_commands_on_unknown_events_total: counter(
    'command-api',
    'Commands that were refused because their stream has an event of a newer version',
  ),

  roomwire_projection_lag_events: gauge(
    'projections',
    'Events of the log that a projection has not written yet; not counted beyond 1000',
    'projection',
  ),
  roomwire_projection_lag_seconds: gauge(
    'projections',
    'Age of the oldest event that a projection has not written yet, 0 where there is none',
    'projection',
  ),
  roomwire_projected_events_total: counter(
    'projections',
    'Events that this process wrote to the read models',
  ),
  roomwire_projection_leader: gauge(
    'projections',
    'Whether this process follows the log to keep the read models; 0 while it stands by',
  ),
  roomwire_projection_unknown_events_total: counter(
    'projections',
    'Events of a newer version that this process has stopped before',
  ),
  roomwire_connection_facts_indexed_total: counter(
    'projections',
    'Facts of connections that this process brought into the record, where the bus is on Kafka',
  ),
  roomwire_connection_facts_expired_total: counter(
    'projections',
    'Facts of connections that were deleted for their age, or for their number on files',
  ),
  roomwire_connection_record_failures_total: counter(
    'projections',
    'Attempts to bring facts of connections into the record that have failed',
  ),
  roomwire_history_archived_messages_total: counter(
    'projections',
    'Messages of topics with history that this process brought into the index, where the bus is on Kafka',
  ),
  roomwire_history_archive_delay_seconds: gauge(
    'projections',
    'Age of the oldest message that this process has read and not brought into the index, 0 where there is none',
  ),
  roomwire_history_archive_failures_total: counter(
    'projections',
    'Attempts to bring messages into the index that have failed',
  ),
  roomwire_history_epochs_begun_total: counter(
    'projections',
    'Partitions of messages whose history begins anew, because records were gone before they were archived',
  ),

  roomwire_webhook_attempts_total: counter(
    'webhook-consumer',
    'Attempts of webhook calls by kind, outcome, and whether the endpoint answers in time',
    'kind',
    'outcome',
    'endpoint',
  ),
  roomwire_webhook_retries_total: counter('webhook-consumer', 'Attempts that are to be made again'),
  roomwire_webhook_dead_letters_total: counter(
    'webhook-consumer',
    'Trigger calls that came to nothing and became dead letters',
  ),
  roomwire_webhook_hydrations_dropped_total: counter(
    'webhook-consumer',
    'Hydration calls that came to nothing',
  ),
  roomwire_webhook_put_off_total: counter(
    'webhook-consumer',
    'Calls that were put out of the way of others, because their endpoint does not keep up',
  ),
  roomwire_webhook_parked_total: counter(
    'webhook-consumer',
    'Calls that were put to wait for an endpoint whose circuit is open, counted each time',
  ),
  roomwire_webhook_trials_total: counter(
    'webhook-consumer',
    'Calls by which an endpoint was tried while its circuit was open',
  ),
  roomwire_webhook_circuits_open: gauge(
    'webhook-consumer',
    'Endpoints whose circuits are open, all of the installation that this process knows of',
  ),
  roomwire_webhook_outcomes_lost_total: counter(
    'webhook-consumer',
    'Attempts of which the stream of outcomes does not tell, because the bus did not take it',
  ),
  roomwire_webhook_calls_in_flight: gauge('webhook-consumer', 'Webhook calls under way'),

  roomwire_analytics_facts_written_total: counter(
    'analytics',
    'Facts that this process wrote to files, by the stream that brought them',
    'stream',
  ),
  roomwire_analytics_facts_waiting: gauge(
    'analytics',
    'Facts in memory that are yet to be written; past a bound their stream is not read any further',
    'stream',
  ),
  roomwire_analytics_write_failures_total: counter(
    'analytics',
    'Attempts to write facts, or to keep their files few, that failed: because the disk is full, for instance',
    'stream',
  ),
} satisfies Readonly<Record<`roomwire_${string}`, MetricRow>>;

export type MetricName = keyof typeof metricTable;

type OfType<Type extends MetricRow['type']> = {
  [Name in MetricName]: (typeof metricTable)[Name]['type'] extends Type ? Name : never;
}[MetricName];

export type NumberMetric = OfType<'counter' | 'gauge'>;
export type HistogramMetric = OfType<'histogram'>;

/** The labels of a metric, all of them. */
export type LabelsOf<Name extends MetricName> = Readonly<
  Record<(typeof metricTable)[Name]['labels'][number], string>
>;
