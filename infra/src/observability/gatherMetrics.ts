import type { MetricName } from '@roomwire/shared/wire/metrics/metricTable';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { CollectMetrics, DistributionData, MetricSink } from '@roomwire/shared/ports/metrics';
import { withTimeout } from '@roomwire/shared/runtime/waiting';

/** A part of this process that shows something of itself. */
export interface MetricSource {
  /** A label. */
  readonly name: string;
  readonly collect: CollectMetrics;
}

export interface Sample {
  /** Absent where it is the metric's own. */
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

export type Samples = ReadonlyMap<MetricName, readonly Sample[]>;

export interface GatherOptions {
  readonly logger: Logger;
  /** The time limit of each source: a scrape must end before the next one begins. */
  readonly withinMs: number;
}

/** Asks all sources at once. One that fails, or takes too long, shows nothing and is counted. */
export class MetricGatherer {
  private readonly sources: MetricSource[] = [];
  private readonly failures = new Map<string, number>();
  private readonly options: GatherOptions;

  constructor(options: GatherOptions) {
    this.options = options;
  }

  add(source: MetricSource): void {
    this.sources.push(source);
    this.failures.set(source.name, 0);
  }

  async gather(): Promise<Samples> {
    const shown = await Promise.all(this.sources.map((source) => this.ask(source)));
    const samples = new Map<MetricName, Sample[]>();
    for (const [name, sample] of shown.flat()) {
      const known = samples.get(name);
      if (known) known.push(sample);
      else samples.set(name, [sample]);
    }
    const failures = [...this.failures].map(([source, value]) => ({ labels: { source }, value }));
    return samples.set('roomwire_scrape_failures_total', failures);
  }

  private async ask({ name, collect }: MetricSource): Promise<readonly Named[]> {
    const { sink, shown } = createSink();
    try {
      await within(this.options.withinMs, collect(sink));
      return [...shown];
    } catch (error) {
      this.failures.set(name, (this.failures.get(name) ?? 0) + 1);
      this.options.logger.debug('Metrics could not be collected', { source: name, error });
      return [];
    }
  }
}

type Named = readonly [MetricName, Sample];

const createSink = (): { sink: MetricSink; shown: Named[] } => {
  const shown: Named[] = [];
  const sink: MetricSink = {
    value: (name, value, labels: Sample['labels'] = {}) => void shown.push([name, { labels, value }]),
    distribution: (name, data, labels: Sample['labels'] = {}) =>
      void shown.push(...distributionSamples(name, data, labels).map((sample): Named => [name, sample])),
  };
  return { sink, shown };
};

/** As Prometheus has it: each bucket holds those below it too. */
const distributionSamples = (
  name: MetricName,
  { bounds, counts, sum }: DistributionData,
  labels: Sample['labels'],
): readonly Sample[] => {
  let count = 0;
  const buckets = counts.map((inBucket, at) => {
    count += inBucket;
    const le = bounds[at] ?? '+Inf';
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
};

const within = async (withinMs: number, collecting: void | Promise<void>): Promise<void> => {
  if (collecting === undefined) return;
  await withTimeout(withinMs, collecting, () => {
    throw new Error(`Nothing within ${withinMs} ms`);
  });
};
