import { expect } from 'chai';
import { metricTable } from '@roomwire/shared/wire/metrics/metricTable';
import type { CollectMetrics } from '@roomwire/shared/ports/metrics';
import { Distribution } from '@roomwire/shared/runtime/distribution';
import { createExposition, type Exposition } from '../../src/observability/exposition.js';
import { MetricGatherer } from '../../src/observability/gatherMetrics.js';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { parseScrape, type Scrape } from '../support/scrape.js';

describe('the exposition of metrics', () => {
  let gatherer: MetricGatherer;
  let exposition: Exposition;
  const { logger } = createRecordingLogger();

  beforeEach(() => {
    gatherer = new MetricGatherer({ logger, withinMs: 50 });
    exposition = createExposition(gatherer, ['gateway', 'command-api', 'process']);
  });

  const show = (name: string, collect: CollectMetrics): void => gatherer.add({ name, collect });
  const shown = async (): Promise<Scrape> => parseScrape(await exposition.text());

  it('shows the values at the time of the scrape', async () => {
    let publishes = 3;
    show('gateway', (sink) => sink.value('roomwire_publishes_total', publishes));
    expect((await shown()).sum('roomwire_publishes_total')).to.equal(3);
    publishes = 5;
    expect((await shown()).sum('roomwire_publishes_total')).to.equal(5);
  });

  it('shows the type of each metric of the running services, and of no other', async () => {
    const { types } = await shown();
    for (const [name, { type, from }] of Object.entries(metricTable))
      expect(types.get(name), name).to.equal(
        ['gateway', 'command-api', 'process'].includes(from) ? type : undefined,
      );
    expect(types.get('process_resident_memory_bytes')).to.equal('gauge');
  });

  it('escapes label values', async () => {
    const topic = 'a"b\\c\nd';
    show('bus', (sink) => sink.value('roomwire_bus_lag_records', 7, { topic }));
    expect((await shown()).sum('roomwire_bus_lag_records', { topic })).to.equal(7);
  });

  it('accumulates the buckets of a histogram', async () => {
    const times = new Distribution([0.1, 1]);
    for (const seconds of [0.05, 0.1, 0.5, 3]) times.observe(seconds);
    const labels = { method: 'GET', route: '/v1/apps', status: '200' };
    show('command-api', (sink) => sink.distribution('roomwire_http_request_duration_seconds', times, labels));
    const { samples } = await shown();
    const written = samples
      .filter(({ name }) => name.startsWith('roomwire_http_request_duration'))
      .map(({ name, labels: { le }, value }) => [
        name.replace('roomwire_http_request_duration_', ''),
        le,
        value,
      ]);
    expect(written).to.deep.equal([
      ['seconds_bucket', '0.1', 2],
      ['seconds_bucket', '1', 3],
      ['seconds_bucket', '+Inf', 4],
      ['seconds_sum', undefined, 3.65],
      ['seconds_count', undefined, 4],
    ]);
    expect(samples.find(({ name }) => name.endsWith('_count'))?.labels).to.eql(labels);
  });

  it('shows the other metrics when a source fails or hangs, and counts the failure', async () => {
    show('gateway', (sink) => sink.value('roomwire_publishes_total', 1));
    show('failing', (sink) => {
      sink.value('roomwire_deliveries_total', 1);
      return Promise.reject(new Error('away'));
    });
    show('hanging', () => new Promise<void>(() => undefined));
    await shown();
    const second = await shown();
    expect(second.sum('roomwire_publishes_total')).to.equal(1);
    expect(second.sum('roomwire_deliveries_total')).to.equal(undefined);
    expect(second.sum('roomwire_scrape_failures_total', { source: 'failing' })).to.equal(2);
    expect(second.sum('roomwire_scrape_failures_total', { source: 'hanging' })).to.equal(2);
    expect(second.sum('roomwire_scrape_failures_total', { source: 'gateway' })).to.equal(0);
  });
});
