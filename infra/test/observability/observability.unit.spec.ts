import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { parse, parseAllDocuments } from 'yaml';
import { busTopics } from '@roomwire/shared/wire/bus/busTopics';
import { webhookBacklog, webhookCalls, webhookRetries } from '@roomwire/shared/wire/bus/webhookCalls';
import { formerWebhookReports, webhookReports } from '@roomwire/shared/wire/bus/webhookReports';
import { metricTable, type MetricName } from '@roomwire/shared/wire/metrics/metricTable';
import { protocolErrors } from '@roomwire/shared/wire/protocol/protocolErrors';
import { serviceNames } from '../../src/services/service.js';
import { parseQuery, type Matcher } from './promQl.js';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

interface ScrapeConfig {
  readonly job_name: string;
  readonly dns_sd_configs: unknown;
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const infra = new URL('../../../', import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, infra), 'utf8');

const { groups } = parse(textOf('observability/prometheus-rules.yaml')) as {
  groups: { readonly name: string; readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(textOf('observability/grafana/roomwire.json')) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly definition?: string }[] };
};
const panels = dashboard.panels.filter(({ type }) => type !== 'row');

/** Those that the library brings, and the one that Prometheus makes itself. */
const processMetrics = new Registry();
collectDefaultMetrics({ register: processMetrics });
const others = new Set(['up', ...processMetrics.getMetricsAsArray().map(({ name }) => name)]);
/** The collector adds the first two. */
const labelsOfAll = ['job', 'instance', 'le'];

const declared = (metric: string): (typeof metricTable)[MetricName] | undefined => {
  const base = metric.replace(/_(?:bucket|sum|count)$/, '');
  const isOfHistogram = base !== metric;
  const row = Object.entries(metricTable).find(([name]) => name === (isOfHistogram ? base : metric))?.[1];
  return (row?.type === 'histogram') === isOfHistogram ? row : undefined;
};

/** What some labels may be. */
const valuesOf: Readonly<Record<string, readonly string[]>> = {
  topic: [...busTopics, formerWebhookReports].map(({ name }) => name),
  error: Object.values(protocolErrors).map(({ error }) => error),
  projection: ['read-models', 'audit-index'],
  method: ['GET', 'POST', 'PATCH', 'DELETE', 'other'],
  status: ['200', '201', '204', '400', '401', '403', '404', '405', '409', '413', '415', '429', '500', '503'],
  outcome: ['2xx', '3xx', '4xx', '5xx', 'timeout', 'unreachable', 'forbidden', 'success', 'failure'],
};

const expectToFind = ({ label, operator, value }: Matcher): void => {
  const known = valuesOf[label];
  if (known === undefined) return;
  const alternatives = operator.endsWith('~') ? value.split('|') : [value];
  for (const each of alternatives)
    expect(
      known.some((one) => (operator.endsWith('~') ? new RegExp(`^(?:${each})$`).test(one) : one === each)),
      `${label}${operator}"${each}"`,
    ).to.equal(true);
};

const expectKnown = (expression: string): void => {
  const { selectors, groupedBy } = parseQuery(expression);
  expect(selectors, expression).to.not.be.empty;
  const labels = new Set(labelsOfAll);
  for (const { metric, matchers } of selectors) {
    const row = declared(metric);
    if (!others.has(metric)) expect(row, `${metric} in ${expression}`).to.not.equal(undefined);
    for (const label of row?.labels ?? []) labels.add(label);
    for (const matcher of matchers) {
      expect([...labelsOfAll, ...(row?.labels ?? [])], expression).to.include(matcher.label);
      expectToFind(matcher);
    }
  }
  for (const label of groupedBy) expect([...labels], expression).to.include(label);
};

describe('alert rules', () => {
  for (const { alert, expr, annotations, labels } of rules) {
    it(`${alert} queries existing metrics, and says what to do`, () => {
      expectKnown(expr);
      expect(labels.severity).to.be.oneOf(['critical', 'warning']);
      expect(annotations.summary).to.not.be.empty;
      expect(annotations.description).to.match(/\.$/);
      const shown = [...`${annotations.summary}`.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
      const { selectors, groupedBy } = parseQuery(expr);
      const isAggregated = /^(?:sum|max|min|histogram_quantile)\b/.test(expr);
      const kept = isAggregated
        ? groupedBy
        : selectors.flatMap(({ metric }) => declared(metric)?.labels ?? []);
      for (const label of shown) expect([...kept, ...(isAggregated ? [] : labelsOfAll)]).to.include(label);
    });
  }

  it('count the queues of the webhooks as backlog, and no channels', () => {
    const queues = [
      webhookCalls,
      ...webhookRetries,
      webhookBacklog,
      webhookReports,
      formerWebhookReports,
    ].map(({ name }) => name);
    const { expr = '' } = rules.find(({ alert }) => alert === 'RoomwireWebhookBacklog') ?? {};
    expect(parseQuery(expr).selectors[0]?.matchers[0]?.value.split('|')).to.eql(queues);
  });

  it('tell that nobody projects also where no process is left to say so', () => {
    const { expr } = rules.find(({ alert }) => alert === 'RoomwireNobodyProjects') ?? {};
    expect(expr).to.match(/\bor absent\(roomwire_projection_leader\)$/);
  });

  it('tell that a service is gone whose processes are found no longer', () => {
    const { expr } = rules.find(({ alert }) => alert === 'RoomwireServiceGone') ?? {};
    expect(expr).to.match(
      /^max by \(job\) \(present_over_time\(up\{.*\}\[1h\]\)\) unless max by \(job\) \(up\{.*\}\)$/,
    );
  });

  it('have unique names', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).to.equal(rules.length);
  });
});

describe('the dashboard', () => {
  for (const { title, description, targets = [] } of panels) {
    it(`${title} queries existing metrics`, () => {
      expect(description).to.not.be.empty;
      expect(targets).to.not.be.empty;
      for (const { expr, legendFormat } of targets) {
        expectKnown(expr);
        const { selectors } = parseQuery(expr);
        for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
          expect(
            [...labelsOfAll, ...selectors.flatMap(({ metric }) => declared(metric)?.labels ?? [])],
            legendFormat,
          ).to.include(label);
      }
    });
  }

  it('places no two panels in the same position', () => {
    const places = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)}/${y + Math.floor(n / w)}`),
    );
    expect(new Set(places).size).to.equal(places.length);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).to.equal(dashboard.panels.length);
    for (const { gridPos } of dashboard.panels) expect(gridPos.x + gridPos.w).to.be.at.most(24);
  });

  it('shows every metric of Roomwire except version information and duplicates', () => {
    const shown = panels.flatMap(({ targets = [] }) =>
      targets.flatMap(({ expr }) => parseQuery(expr).selectors),
    );
    const names = new Set(shown.map(({ metric }) => metric.replace(/_(?:bucket|sum|count)$/, '')));
    const left = Object.keys(metricTable).filter((name) => !names.has(name));
    expect(left).to.have.members([
      'roomwire_build_info',
      'roomwire_scrape_failures_total',
      'roomwire_retained_values',
      'roomwire_http_requests_in_flight',
      'roomwire_projection_leader',
    ]);
  });

  it('fills its variables from a metric that every process has', () => {
    const asked = dashboard.templating.list.flatMap(({ definition }) => definition ?? []);
    expect(asked).to.have.length(2);
    for (const query of asked) expect(query).to.match(/^label_values\(roomwire_build_info\b/);
    expect(metricTable.roomwire_build_info.from).to.equal('process');
  });
});

describe('the collector configuration', () => {
  it('scrapes every service of the compose file on its operations port', () => {
    const collected = parse(textOf('observability/prometheus.yml')) as { scrape_configs: ScrapeConfig[] };
    const configs = collected.scrape_configs;
    const compose = parse(textOf('docker-compose.yml'), { merge: true });
    expect(configs.map((config) => config.job_name)).to.have.members(
      [...serviceNames, 'analytics'].map((name) => `roomwire-${name}`),
    );
    for (const { job_name: job, dns_sd_configs: dns } of configs) {
      const name = job.replace('roomwire-', '');
      const port = Number(compose.services[name].environment.ROOMWIRE_OPS_PORT);
      expect(dns).to.eql([{ names: [name], type: 'A', port }]);
    }
  });

  it('has every file that the containers mount', () => {
    const { services } = parse(textOf('observability/docker-compose.yml'));
    const mounted = Object.values<any>(services).flatMap(({ volumes }) => volumes as string[]);
    const files = mounted.filter((mount) => mount.startsWith('./')).map((mount) => mount.split(':')[0] ?? '');
    expect(files).to.have.length(5);
    for (const file of files) expect(existsSync(new URL(file, infra)), file).to.equal(true);
  });

  it('finds every pod by its port or its annotations', () => {
    const files = readdirSync(new URL('kubernetes/', infra), { recursive: true, encoding: 'utf8' });
    const manifests = files
      .filter((name) => name.endsWith('.yaml'))
      .flatMap((name) => parseAllDocuments(textOf(`kubernetes/${name}`)).map((document) => document.toJS()));
    const { data } = manifests.find(({ kind }) => kind === 'ConfigMap');
    const opsPort = Number(data.ROOMWIRE_OPS_PORT);
    const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
    expect(deployments.map(({ metadata }) => metadata.name)).to.have.members([...serviceNames, 'analytics']);
    for (const { metadata, spec } of deployments) {
      const [container] = spec.template.spec.containers;
      expect(container.ports, metadata.name).to.deep.include({ name: 'metrics', containerPort: opsPort });
      expect(spec.template.metadata.annotations, metadata.name).to.eql({
        'prometheus.io/scrape': 'true',
        'prometheus.io/port': String(opsPort),
        'prometheus.io/path': '/metrics',
      });
    }
    const cluster = parse(textOf('observability/prometheus-kubernetes.yml'));
    const [{ relabel_configs: relabeling }] = cluster.scrape_configs;
    expect(relabeling[0]).to.include({ regex: 'metrics', action: 'keep' });
  });
});
