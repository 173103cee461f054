import type { CollectMetrics, MetricSink } from '@roomwire/shared/ports/metrics';
import { metricTable, type MetricName } from '@roomwire/shared/wire/metrics/metricTable';

/** What a source has shown, to be sent to another thread. */
export interface Collected {
  readonly name: MetricName;
  readonly labels: Readonly<Record<string, string>>;
  /** Distributions are not added up: none of the gateway's has any. */
  readonly value: number;
}

export const collected = async (collect: CollectMetrics): Promise<readonly Collected[]> => {
  const shown: Collected[] = [];
  const sink: MetricSink = {
    value: (name, value, ...[labels = {}]: readonly unknown[]) =>
      void shown.push({ name, value, labels: labels as Collected['labels'] }),
    distribution: (name, ..._shown) => {
      throw new TypeError(`${name} is a distribution, and cannot be added up over threads`);
    },
  };
  await collect(sink);
  return shown;
};

/** Every gateway has all of them, or they are ages: more of them is not more. */
const largestOf: ReadonlySet<MetricName> = new Set<MetricName>([
  ...(['roomwire_presence_entries', 'roomwire_gateways', 'roomwire_retained_values'] as const),
  ...(['roomwire_outbox_largest_bytes', 'roomwire_scheduled_late_seconds'] as const),
  ...(['roomwire_room_events_oldest_seconds', 'roomwire_job_group_oldest_seconds'] as const),
  'roomwire_group_messages_open',
]);

const keyOf = ({ name, labels }: Collected): string => `${name} ${JSON.stringify(labels)}`;

/** What several gateways of a process have shown, as if they were one. */
export const addUp = (sources: readonly (readonly Collected[])[]): readonly Collected[] => {
  const sums = new Map<string, Collected>();
  for (const one of sources.flat()) {
    const key = keyOf(one);
    const before = sums.get(key)?.value;
    if (before === undefined) sums.set(key, one);
    else if (largestOf.has(one.name)) sums.set(key, { ...one, value: Math.max(before, one.value) });
    else sums.set(key, { ...one, value: before + one.value });
  }
  return [...sums.values()];
};

/** What remains of one that has ended: a counter that fell would count again what it has counted. */
export const counters = (shown: readonly Collected[]): readonly Collected[] =>
  shown.filter(({ name }) => metricTable[name].type === 'counter');

export const show = (shown: readonly Collected[], sink: MetricSink): void => {
  for (const { name, value, labels } of shown)
    (sink.value as (name: MetricName, value: number, labels: Collected['labels']) => void)(
      name,
      value,
      labels,
    );
};
