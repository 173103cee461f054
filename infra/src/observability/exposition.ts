import {
  collectDefaultMetrics,
  Gauge,
  Registry,
  type MetricObjectWithValues,
  type MetricValue,
} from 'prom-client';
import { metricTable, type MetricName, type MetricOrigin } from '@roomwire/shared/wire/metrics/metricTable';
import type { MetricGatherer, Samples } from './gatherMetrics.js';

export interface Exposition {
  readonly contentType: string;
  /** Everything as it is now, in the text format of Prometheus. */
  readonly text: () => Promise<string>;
}

/** A metric whose values are kept elsewhere, in plain numbers: the library writes them down when it is asked to. */
class ShownMetric extends Gauge {
  private readonly metricName: MetricName;
  private readonly readValues: () => readonly MetricValue<string>[];

  constructor(name: MetricName, values: () => readonly MetricValue<string>[]) {
    super({ name, help: metricTable[name].help, registers: [] });
    this.metricName = name;
    this.readValues = values;
  }

  override async get(): Promise<MetricObjectWithValues<MetricValue<string>>> {
    return {
      ...(await super.get()),
      // Text, as the library writes and reads it; its own types call it an enumeration.
      type: metricTable[this.metricName].type as never,
      values: [...this.readValues()],
    };
  }
}

/** The metrics of what runs in this process, and of the process itself. */
export const createExposition = (gatherer: MetricGatherer, origins: readonly MetricOrigin[]): Exposition => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  let samples: Samples = new Map();
  for (const name of Object.keys(metricTable) as MetricName[]) {
    if (!origins.includes(metricTable[name].from)) continue;
    registry.registerMetric(new ShownMetric(name, () => samples.get(name) ?? []));
  }
  return {
    contentType: registry.contentType,
    async text() {
      samples = await gatherer.gather();
      return registry.metrics();
    },
  };
};
