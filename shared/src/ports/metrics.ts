import type { HistogramMetric, LabelsOf, MetricName, NumberMetric } from '../wire/metrics/metricTable.js';

/** How often something was how large. */
export interface DistributionData {
  /** Upper bounds, inclusive and rising. */
  readonly bounds: readonly number[];
  /** Of each bound, what is at most it and above the one before; one more for what is above all. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/** Nothing for a metric without labels. */
type LabelsGiven<Name extends MetricName> = keyof LabelsOf<Name> extends never
  ? []
  : [labels: LabelsOf<Name>];

/** Takes what a service shows of itself. One value for each metric and set of labels. */
export interface MetricSink {
  value<Name extends NumberMetric>(name: Name, value: number, ...labels: LabelsGiven<Name>): void;
  distribution<Name extends HistogramMetric>(
    name: Name,
    data: DistributionData,
    ...labels: LabelsGiven<Name>
  ): void;
}

/**
 * Shows how things are now. A service counts in plain numbers, which cost the hot path nothing, and is asked for them as
 * often as somebody looks. What cannot be told now is left out, or rejects.
 */
export type CollectMetrics = (sink: MetricSink) => void | Promise<void>;
