import { expect } from 'chai';
import { parse } from 'yaml';
import { helm } from '@roomwire/testing/engines/kubernetesTools';
import { readConfig } from '../../src/config/config.js';
import { requireSettings, serviceNames, type ServiceName } from '../../src/services/service.js';
import { chart, everything, readManifests, rendered, textOf, type Rendered } from './rendered.js';

/** Of a machine that has not built Helm yet. */
const buildMs = 30 * 60_000;

/** For what the example of the secrets leaves to be filled in. */
const key = Buffer.alloc(32, 7).toString('base64');

const podOf = (of: Rendered, service: string, fullname = 'roomwire') =>
  of.find('Deployment', `${fullname}-${service}`).spec.template;

/** All that a process gets from what is rendered and from the example of the secrets. */
const environmentOf = (of: Rendered, service: ServiceName, fullname?: string) => {
  const [container] = podOf(of, service, fullname).spec.containers;
  const secrets = readManifests(textOf('kubernetes/secrets.example.yaml'));
  const environment: Record<string, string> = {};
  for (const { configMapRef, secretRef } of container.envFrom) {
    const given = configMapRef
      ? of.find('ConfigMap', configMapRef.name).data
      : secrets.find('Secret', secretRef.name).stringData;
    for (const [name, value] of Object.entries(given as Readonly<Record<string, string>>))
      environment[name] = value || key;
  }
  for (const { name, value } of container.env ?? []) environment[name] = value;
  // The image has none of the files of a pod.
  return 'ROOMWIRE_KAFKA_CA_FILE' in environment
    ? { ...environment, ROOMWIRE_KAFKA_CA_FILE: `${chart}Chart.yaml` }
    : environment;
};

const without = (container: object, ...fields: readonly string[]) =>
  Object.fromEntries(Object.entries(container).filter(([name]) => !fields.includes(name)));

describe('the chart', function () {
  this.timeout(60_000);
  let byDefault: Rendered;
  let withEverything: Rendered;

  before(async function () {
    this.timeout(buildMs);
    byDefault = await rendered();
    withEverything = await rendered(everything);
  });

  it('is of this release', () => {
    const { version } = JSON.parse(textOf('package.json')) as { readonly version: string };
    expect(parse(textOf('helm/Chart.yaml'))).to.include({ version, appVersion: version });
  });

  it('has nothing that `helm lint` finds fault with', async () => {
    const everythingOn = ['--values', `${chart}ci/everything-values.yaml`];
    for (const values of [[], everythingOn]) {
      const { code, stdout } = await helm('lint', '--strict', chart, ...values);
      expect(code, stdout).to.equal(0);
    }
  });

  it('is accepted by a cluster however few options are on', async () => {
    const { all } = await rendered({
      ...{ certificatesSecret: '', kafka: { tls: false, saslMechanism: '' } },
      ...{ serviceAccount: { create: false, name: 'ours' }, networkPolicy: { enabled: false } },
    });
    expect(all('NetworkPolicy').concat(all('ServiceAccount'))).to.eql([]);
    for (const { spec } of all('Deployment')) {
      expect(spec.template.spec).to.include({ serviceAccountName: 'ours' }).and.not.have.property('volumes');
      expect(spec.template.spec.containers[0]).to.not.have.property('volumeMounts');
    }
    expect(all('ConfigMap')[0].data).to.include({ ROOMWIRE_KAFKA_TLS: 'false' });
  });

  for (const service of serviceNames) {
    it(`starts ${service} with the settings that it needs`, () => {
      for (const [of, fullname] of [[byDefault, 'roomwire'] as const, [withEverything, 'rw'] as const]) {
        const [container] = podOf(of, service, fullname).spec.containers;
        expect(container.args).to.eql([service]);
        const config = readConfig(environmentOf(of, service, fullname));
        requireSettings(service, config);
        expect(config).to.include({ host: '0.0.0.0', port: 8080, webhookAllowPrivate: false });
      }
    });

    it(`runs ${service} as the manifests do`, () => {
      const manifest = readManifests(textOf(`kubernetes/${service}.yaml`)).find('Deployment', service).spec;
      const { spec } = byDefault.find('Deployment', `roomwire-${service}`);
      expect(spec.strategy).to.eql(manifest.strategy);
      expect(spec.replicas).to.equal(manifest.replicas);
      const [ours, theirs] = [spec.template.spec, manifest.template.spec];
      for (const field of [
        'securityContext',
        'terminationGracePeriodSeconds',
        'volumes',
        'enableServiceLinks',
      ])
        expect(ours[field], field).to.eql(theirs[field]);
      const of = ({ containers: [container] }: typeof ours) => container;
      expect(without(of(ours), 'image', 'imagePullPolicy', 'env', 'envFrom')).to.eql(
        without(of(theirs), 'image', 'envFrom'),
      );
      expect(of(ours).image).to.match(/^registry\.example\.com\/roomwire:\d/);
      expect(of(ours).envFrom).to.have.length(2);
    });
  }

  it('gives a pod the time of its drain and 20 seconds more before it is killed', () => {
    for (const [of, fullname] of [[byDefault, 'roomwire'] as const, [withEverything, 'rw'] as const])
      for (const service of serviceNames) {
        const { spec } = podOf(of, service, fullname);
        const [, beforeSeconds] = spec.containers[0].lifecycle.preStop.exec.command;
        const { drainMs } = readConfig(environmentOf(of, service, fullname));
        const drainSeconds = service === 'gateway' ? drainMs / 1_000 : 0;
        const atLeast = Number(beforeSeconds) + drainSeconds + 20;
        expect(spec.terminationGracePeriodSeconds, service).to.be.at.least(atLeast);
      }
  });

  it('writes numbers as they are, however large', () => {
    expect(withEverything.find('ConfigMap', 'rw').data).to.include({
      ROOMWIRE_REST_BURST: '1000000',
    });
    const [connections] = withEverything.find('HorizontalPodAutoscaler', 'rw-gateway').spec.metrics;
    expect(connections.pods.target.averageValue).to.equal('1000000');
  });

  it('starts pods anew when a setting of all of them changes, and only then', async () => {
    const checksum = (of: Rendered) => podOf(of, 'gateway').metadata.annotations['checksum/settings'];
    expect(checksum(await rendered({ logLevel: 'debug' }))).to.not.equal(checksum(byDefault));
    expect(checksum(await rendered({ gateway: { replicas: 3 } }))).to.equal(checksum(byDefault));
  });

  it('allows no traffic but what it names, to its own pods', () => {
    const policies = byDefault.all('NetworkPolicy');
    const own = { 'app.kubernetes.io/instance': 'roomwire', 'app.kubernetes.io/part-of': 'roomwire' };
    for (const { spec } of policies) expect(spec.podSelector.matchLabels).to.eql(own);
    const [nothing] = policies.filter(({ spec }) => !spec.ingress && !spec.egress);
    expect(nothing.spec).to.eql({
      podSelector: { matchLabels: own },
      policyTypes: ['Ingress', 'Egress'],
    });
    const servicesOf = (name: string) =>
      byDefault.find('NetworkPolicy', `roomwire-${name}`).spec.podSelector.matchExpressions[0].values;
    expect(servicesOf('eventstore')).to.eql(['command-api', 'projections']);
    expect(servicesOf('clients')).to.eql(['command-api', 'gateway']);
    expect(servicesOf('webhooks')).to.eql(['webhook-consumer']);
    const kafkaPorts = (of: Rendered, name: string) => of.find('NetworkPolicy', name).spec.egress[0].ports;
    expect(kafkaPorts(byDefault, 'roomwire-kafka')).to.eql([{ port: 9092 }]);
    // Those of the brokers, whichever they are, and what they name themselves by.
    expect(kafkaPorts(withEverything, 'rw-kafka')).to.eql([{ port: 9092 }, { port: 9093 }]);
    expect(withEverything.find('NetworkPolicy', 'rw-further').spec.egress[0].ports).to.eql([{ port: 4318 }]);
  });

  it('lets its budgets, services and spreads find the pods that they are for', () => {
    for (const of of [byDefault, withEverything]) {
      const pods = of.all('Deployment').map(({ spec }) => spec.template.metadata.labels);
      const found = (selector: object) =>
        pods.filter((labels) => Object.entries(selector).every(([name, value]) => labels[name] === value));
      for (const { spec, metadata } of [...of.all('PodDisruptionBudget'), ...of.all('Service')]) {
        const names = found(spec.selector.matchLabels ?? spec.selector).map(
          (labels) => labels['app.kubernetes.io/name'],
        );
        expect(new Set(names), metadata.name).to.eql(new Set([metadata.labels['app.kubernetes.io/name']]));
      }
      for (const { spec } of of.all('Deployment'))
        for (const { labelSelector } of spec.template.spec.topologySpreadConstraints ?? [])
          expect(found(labelSelector.matchLabels)).to.include(spec.template.metadata.labels);
    }
  });

  it('names no service account with rights, and mounts no token', () => {
    expect(byDefault.manifests.map(({ kind }) => kind)).to.not.include.members(['Role']);
    for (const { spec } of byDefault.all('Deployment'))
      expect(spec.template.spec).to.include({ automountServiceAccountToken: false });
  });
});
