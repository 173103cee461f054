/** What shows a metric: a service, or whatever process of Roomwire it is. */
export type MetricOrigin = 'command-api' | 'projections' | 'gateway' | 'webhook-consumer' | 'process';

interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** A sentence without its full stop. */
  readonly help: string;
  /** No label ever has a value that a customer chooses: the series would have no end. */
  readonly labels: readonly string[];
  readonly from: MetricOrigin;
}

/**
 * Every metric of Roomwire, by its name in Prometheus: seconds and bytes, `_total` for what only rises. Who counts, who
 * exposes, the dashboard, the alerts and `docs/METRICS.md` are all held against this table.
 */
export const metricTable = {
  roomwire_build_info: {
    type: 'gauge',
    help: 'Always 1; the labels say what runs',
    labels: ['version'],
    from: 'process',
  },
  roomwire_scrape_failures_total: {
    type: 'counter',
    help: 'Parts of a scrape that could not be answered in time, for instance because an engine is away',
    labels: ['source'],
    from: 'process',
  },
  roomwire_bus_reachable: {
    type: 'gauge',
    help: 'Whether the message bus was within reach when it was last needed',
    labels: [],
    from: 'process',
  },
  roomwire_bus_lag_records: {
    type: 'gauge',
    help: 'Records and jobs of a bus topic that this process is to take and has not finished; for work queues this is the backlog',
    labels: ['topic'],
    from: 'process',
  },

  roomwire_connections_open: {
    type: 'gauge',
    help: 'Open WebSockets',
    labels: [],
    from: 'gateway',
  },
  roomwire_connections_opened_total: {
    type: 'counter',
    help: 'WebSockets that were opened',
    labels: [],
    from: 'gateway',
  },
  roomwire_connections_closed_total: {
    type: 'counter',
    help: 'WebSockets that were closed; the reason is empty where the client or the network closed them',
    labels: ['code', 'reason'],
    from: 'gateway',
  },
  roomwire_authentications_total: {
    type: 'counter',
    help: 'Answers to auth frames',
    labels: ['outcome'],
    from: 'gateway',
  },
  roomwire_subscriptions: {
    type: 'gauge',
    help: 'Subscriptions of the open connections',
    labels: [],
    from: 'gateway',
  },
  roomwire_publishes_total: {
    type: 'counter',
    help: 'Publishes that passed every check',
    labels: [],
    from: 'gateway',
  },
  roomwire_deliveries_total: {
    type: 'counter',
    help: 'Messages that were handed to connections',
    labels: [],
    from: 'gateway',
  },
  roomwire_refusals_total: {
    type: 'counter',
    help: 'Error frames that were sent, by their error',
    labels: ['error'],
    from: 'gateway',
  },
  roomwire_outbox_bytes: {
    type: 'gauge',
    help: 'Bytes that wait for readers, of all connections',
    labels: [],
    from: 'gateway',
  },
  roomwire_outbox_largest_bytes: {
    type: 'gauge',
    help: 'Bytes that wait for the slowest reader; it is closed past the bound of 8 MiB',
    labels: [],
    from: 'gateway',
  },
  roomwire_slow_consumers_closed_total: {
    type: 'counter',
    help: 'Connections that were closed because they did not read what was sent',
    labels: [],
    from: 'gateway',
  },
  roomwire_retained_values: {
    type: 'gauge',
    help: 'Last values of topics in memory',
    labels: [],
    from: 'gateway',
  },
  roomwire_retained_bytes: {
    type: 'gauge',
    help: 'Memory that the last values of topics take',
    labels: [],
    from: 'gateway',
  },
  roomwire_retained_dropped_total: {
    type: 'counter',
    help: 'Last values of topics that made room for others',
    labels: [],
    from: 'gateway',
  },
  roomwire_messages_recorded_total: {
    type: 'counter',
    help: 'Messages of logged topics that were to be recorded',
    labels: [],
    from: 'gateway',
  },
  roomwire_record_failures_total: {
    type: 'counter',
    help: 'Messages of logged topics that could not be recorded',
    labels: [],
    from: 'gateway',
  },
  roomwire_acknowledgements_total: {
    type: 'counter',
    help: 'Message ids that clients acknowledged',
    labels: [],
    from: 'gateway',
  },
  roomwire_worker_groups: {
    type: 'gauge',
    help: 'Worker groups with members on this gateway',
    labels: [],
    from: 'gateway',
  },
  roomwire_group_messages_dropped_total: {
    type: 'counter',
    help: 'Messages of worker groups that were dropped because too many were not done',
    labels: [],
    from: 'gateway',
  },
  roomwire_presence_entries: {
    type: 'gauge',
    help: 'Actors present in rooms, as this gateway knows it of all gateways: not to be added up over them',
    labels: [],
    from: 'gateway',
  },
  roomwire_gateways: {
    type: 'gauge',
    help: 'Gateways that are alive, as this one knows it, itself included',
    labels: [],
    from: 'gateway',
  },
  roomwire_webhook_calls_total: {
    type: 'counter',
    help: 'Webhook calls that were put on the bus',
    labels: [],
    from: 'gateway',
  },
  roomwire_webhook_calls_lost_total: {
    type: 'counter',
    help: 'Webhook calls that the bus did not take',
    labels: [],
    from: 'gateway',
  },
  roomwire_hydrations_total: {
    type: 'counter',
    help: 'Answers of hydration webhooks that were sent on to subscribers',
    labels: [],
    from: 'gateway',
  },

  roomwire_command_duration_seconds: {
    type: 'histogram',
    help: 'Time from the head of a REST request to its answer',
    labels: ['method', 'route', 'status'],
    from: 'command-api',
  },
  roomwire_commands_in_flight: {
    type: 'gauge',
    help: 'REST requests that are being answered',
    labels: [],
    from: 'command-api',
  },
  roomwire_read_model_waits_expired_total: {
    type: 'counter',
    help: 'Writes that were answered before the read models showed them',
    labels: [],
    from: 'command-api',
  },

  roomwire_projection_lag_events: {
    type: 'gauge',
    help: 'Events of the log that a projection has not written yet; not counted beyond 1000',
    labels: ['projection'],
    from: 'projections',
  },
  roomwire_projection_lag_seconds: {
    type: 'gauge',
    help: 'Age of the oldest event that a projection has not written yet, 0 where there is none',
    labels: ['projection'],
    from: 'projections',
  },
  roomwire_projected_events_total: {
    type: 'counter',
    help: 'Events that this process wrote to the read models',
    labels: [],
    from: 'projections',
  },
  roomwire_projection_leader: {
    type: 'gauge',
    help: 'Whether this process follows the log to keep the read models; 0 while it stands by',
    labels: [],
    from: 'projections',
  },

  roomwire_webhook_attempts_total: {
    type: 'counter',
    help: 'Attempts of webhook calls by kind, outcome, and whether the endpoint answers in time',
    labels: ['kind', 'outcome', 'endpoint'],
    from: 'webhook-consumer',
  },
  roomwire_webhook_retries_total: {
    type: 'counter',
    help: 'Attempts that are to be made again',
    labels: [],
    from: 'webhook-consumer',
  },
  roomwire_webhook_dead_letters_total: {
    type: 'counter',
    help: 'Trigger calls that came to nothing and became dead letters',
    labels: [],
    from: 'webhook-consumer',
  },
  roomwire_webhook_hydrations_dropped_total: {
    type: 'counter',
    help: 'Hydration calls that came to nothing',
    labels: [],
    from: 'webhook-consumer',
  },
  roomwire_webhook_put_off_total: {
    type: 'counter',
    help: 'Calls that were put out of the way of others, because their endpoint does not keep up',
    labels: [],
    from: 'webhook-consumer',
  },
  roomwire_webhook_calls_in_flight: {
    type: 'gauge',
    help: 'Webhook calls under way',
    labels: [],
    from: 'webhook-consumer',
  },
} as const satisfies Readonly<Record<`roomwire_${string}`, MetricRow>>;

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
