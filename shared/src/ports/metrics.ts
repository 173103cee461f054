import type { HistogramMetric, LabelsOf, MetricName, NumberMetric } from '../wire/metrics/metricTable.js';

/** How often something was how large. */
export interface DistributionData {
  /** Upper bounds, inclusive and rising. */
  readonly bounds: readonly number[];
  /** Observations per bucket, not cumulative: one for each upper bound, and one for larger values. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** Nothing for a metric without labels. */
type LabelsGiven<Name extends MetricName> = keyof LabelsOf<Name> extends never
  ? []
  : [labels: LabelsOf<Name>];

/** Receives the metrics of a service. One value per metric and set of labels. */
export interface MetricSink {
  value<Name extends NumberMetric>(name: Name, value: number, ...labels: LabelsGiven<Name>): void;
  distribution<Name extends HistogramMetric>(
    name: Name,
    data: DistributionData,
    ...labels: LabelsGiven<Name>
  ): void;
}

/**
 * Reports the current values. A service counts in plain numbers, which cost the hot path nothing, and reports them on
 * each collection. It omits values that are unavailable, or rejects.
 */
export type CollectMetrics = (sink: MetricSink) => void | Promise<void>;
