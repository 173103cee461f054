import { expect } from 'chai';
import { parse } from 'yaml';
import { serviceNames } from '../../src/services/service.js';
import { everything, listed, readManifests, rendered, textOf, type Rendered } from './rendered.js';

const operations = textOf('../docs/OPERATIONS.md');

const captured = (text: string, pattern: RegExp): number =>
  Number((pattern.exec(text)?.[1] ?? expect.fail(`There is no ${pattern}`)).replaceAll(',', ''));

/** Of the table of limits in OPERATIONS.md, in MiB. */
const limitOf = (service: string): number =>
  captured(operations, new RegExp(`^\\| \`${service}\`\\s*\\| (\\d+) MiB`, 'm'));

describe('sizes of the chart', function () {
  this.timeout(30 * 60_000);
  let byDefault: Rendered;
  let withEverything: Rendered;

  before(async () => {
    byDefault = await rendered();
    withEverything = await rendered(everything);
  });

  for (const service of serviceNames)
    it(`gives ${service} the memory that OPERATIONS says, as the manifests do`, () => {
      const manifest = readManifests(textOf(`kubernetes/${service}.yaml`)).find('Deployment', service);
      for (const { spec } of [byDefault.find('Deployment', `roomwire-${service}`), manifest]) {
        const [container] = spec.template.spec.containers;
        expect(container.resources.limits.memory).to.equal(`${limitOf(service)}Mi`);
      }
    });

  it('gives a gateway room for the connections for which it is sized, and for messages on their way', () => {
    const connections = captured(operations, /^\*\*A gateway\.\*\* ([\d,]+) connections/m);
    const bytesOfOne =
      captured(operations, /an idle connection .*, (\d+) kB before a garbage collection/) * 1_000;
    const below = captured(operations, /on top of a base of (\d+) MB/) * 1e6;
    const onTheWay = [
      /up to (\d+) MiB for a slow reader/,
      /(\d+) MiB of last values/,
      /(\d+) MiB for worker groups/,
    ]
      .map((pattern) => captured(operations, pattern) * 2 ** 20)
      .reduce((total, bytes) => total + bytes);
    const needed = connections * bytesOfOne + below + onTheWay;
    expect(limitOf('gateway') * 2 ** 20).to.be.within(1.5 * needed, 2.5 * needed);
    const { gateway } = parse(textOf('helm/values.yaml'));
    // What one of them has is also for the others when it goes.
    expect(gateway.autoscaling.connections).to.be.at.most(0.8 * connections);
  });

  it('scales gateways by metrics that they have and that the adapter of the metrics shows', () => {
    const { rules } = parse(textOf('observability/prometheus-adapter.yaml'));
    const [{ seriesQuery, resources }] = rules.custom;
    const scraped = parse(textOf('observability/prometheus-kubernetes.yml'));
    const labels = listed(scraped.scrape_configs[0].relabel_configs).map(({ target_label }) => target_label);
    expect(labels).to.include.members(Object.keys(resources.overrides));
    const metrics = textOf('../docs/METRICS.md');
    const { spec } = withEverything.find('HorizontalPodAutoscaler', 'rw-gateway');
    const names = listed(spec.metrics).map(({ pods }) => String(pods.metric.name));
    expect(names).to.have.length(2);
    for (const name of names) {
      expect(metrics).to.include(`\`${name}\``);
      expect(seriesQuery).to.include(name);
    }
  });

  it('leaves the number of pods to what scales them', () => {
    for (const { metadata, spec } of withEverything.all('HorizontalPodAutoscaler')) {
      expect(spec.scaleTargetRef.name).to.equal(metadata.name);
      expect(withEverything.find('Deployment', metadata.name).spec).to.not.have.property('replicas');
    }
    expect(withEverything.find('Deployment', 'rw-projections').spec.replicas).to.equal(2);
    expect(byDefault.all('HorizontalPodAutoscaler')).to.eql([]);
  });

  it('takes gateways away one at a time, each once the clients of the one before are elsewhere', () => {
    const { behavior } = withEverything.find('HorizontalPodAutoscaler', 'rw-gateway').spec;
    const drainSeconds = 600;
    for (const { type, value, periodSeconds } of behavior.scaleDown.policies) {
      expect([type, value]).to.eql(['Pods', 1]);
      expect(periodSeconds).to.be.above(drainSeconds);
    }
  });
});
