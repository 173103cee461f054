import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { metricTable } from '@roomwire/shared/wire/metrics/metricTable';
import { readConfig } from '../../src/config/config.js';
import { documentRows } from '../support/documents.js';

const root = new URL('../../../../', import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8');

describe('docs/METRICS.md', () => {
  it('describes every metric, as it is declared', () => {
    const declared = Object.entries(metricTable).map(([name, { type, labels, from, help }]) => [
      `\`${name}\``,
      type,
      labels.map((label) => `\`${label}\``).join(', '),
      from,
      help,
    ]);
    const ofMetrics = documentRows('docs/METRICS.md').filter(([name = '']) => name.startsWith('`roomwire_'));
    expect(ofMetrics).to.deep.equal(declared);
  });
});

describe('docs/TRACING.md', () => {
  it('names the variables that are read, by Roomwire or by the library', () => {
    const asked = new Set<string>();
    readConfig(new Proxy({}, { get: (_, name) => void asked.add(String(name)) }));
    const byLibrary = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_SERVICE_NAME', 'OTEL_RESOURCE_ATTRIBUTES'];
    const named = new Set(Array.from(textOf('docs/TRACING.md').matchAll(/OTEL_[A-Z_]+/g), ([name]) => name));
    const own = [...asked].filter((name) => name.startsWith('OTEL_') && !name.endsWith('TRACES_PROTOCOL'));
    expect([...named]).to.have.members([...own, ...byLibrary]);
  });
});

describe('the table of metrics', () => {
  it('follows the naming conventions of Prometheus', () => {
    for (const [name, { type, labels }] of Object.entries(metricTable)) {
      expect(name).to.match(/^roomwire_[a-z_]+$/);
      expect(name.endsWith('_total'), `${name} counts`).to.equal(type === 'counter');
      if (type === 'histogram') expect(name).to.match(/_(?:seconds|bytes)$/);
      expect(name).to.not.match(/_(?:ms|milliseconds|kb|mb|percent|count|sum|bucket)$/);
      for (const label of labels) expect(label).to.match(/^[a-z]+$/);
    }
  });
});
