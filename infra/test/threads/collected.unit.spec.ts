import { expect } from 'chai';
import type { MetricName } from '@roomwire/shared/wire/metrics/metricTable';
import { addUp, collected, counters, type Collected } from '../../src/threads/collected.js';

const shown = (name: MetricName, value: number, labels: Collected['labels'] = {}): Collected => ({
  ...{ name, value, labels },
});

describe('metrics of several threads', () => {
  it('are what a source has shown', async () => {
    const found = await collected((sink) => {
      sink.value('roomwire_connections_open', 3);
      sink.value('roomwire_refusals_total', 2, { error: 'payload_too_large' });
    });
    expect(found).to.eql([
      shown('roomwire_connections_open', 3),
      shown('roomwire_refusals_total', 2, { error: 'payload_too_large' }),
    ]);
  });

  it('are added up by name and labels', () => {
    const one = [shown('roomwire_connections_open', 3), shown('roomwire_refusals_total', 1, { error: 'a' })];
    const other = [
      ...[shown('roomwire_connections_open', 4), shown('roomwire_refusals_total', 2, { error: 'a' })],
      shown('roomwire_refusals_total', 5, { error: 'b' }),
    ];
    expect(addUp([one, other])).to.eql([
      shown('roomwire_connections_open', 7),
      shown('roomwire_refusals_total', 3, { error: 'a' }),
      shown('roomwire_refusals_total', 5, { error: 'b' }),
    ]);
  });

  it('are the largest where all know the same, or where they are ages', () => {
    for (const name of ['roomwire_gateways', 'roomwire_job_group_oldest_seconds'] as const)
      expect(addUp([[shown(name, 3)], [shown(name, 2)]])).to.eql([shown(name, 3)]);
  });

  it('keep of a thread that has ended what it has counted', () => {
    const left = [shown('roomwire_connections_open', 3), shown('roomwire_publishes_total', 9)];
    expect(counters(left)).to.eql([shown('roomwire_publishes_total', 9)]);
  });
});
