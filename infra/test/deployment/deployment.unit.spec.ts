import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config/config.js';
import { requireSettings, serviceNames, type ServiceName } from '../../src/services/service.js';

type Environment = Readonly<Record<string, string>>;

interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, null>>;
}

interface ComposeService {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly environment: Environment;
  readonly healthcheck: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly profiles?: readonly string[];
}

interface Container {
  readonly envFrom: readonly {
    readonly configMapRef?: { readonly name: string };
    readonly secretRef?: { readonly name: string };
  }[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}

interface IngressPath {
  readonly path: string;
  readonly backend: { readonly service: { readonly name: string } };
}

const infra = new URL('../../../', import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, infra), 'utf8');
const manifests = readdirSync(new URL('kubernetes/', infra), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => `kubernetes/${name}`);

const chart = readdirSync(new URL('helm/', infra), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(?:yaml|tpl|json)$/.test(name))
  .map((name) => `helm/${name}`);

/** For what an example leaves to be filled in. */
const key = Buffer.alloc(32, 7).toString('base64');

const assignments = (text: string): Environment =>
  Object.fromEntries(
    [...text.matchAll(/\b([A-Z]+_[A-Z_]+)=(\S*)/g)].map(([, name, value]) => [name, value || key]),
  );

/** Any file that is there: those of the containers are not. */
const someFile = new URL('docker-compose.yml', infra).pathname;
const withFiles = (environment: Environment): Environment => ({
  ...environment,
  ...('ROOMWIRE_KAFKA_CA_FILE' in environment ? { ROOMWIRE_KAFKA_CA_FILE: someFile } : {}),
});

/** What the image sets for every process. */
const imageEnvironment = assignments(textOf('Dockerfile'));

/** Every variable that the configuration asks for. */
const knownVariables = (): readonly string[] => {
  const asked: string[] = [];
  readConfig(new Proxy({}, { get: (_, name) => void asked.push(String(name)) }));
  return asked;
};

const expectAsked = ({ startupProbe, livenessProbe, readinessProbe, ports }: any): void => {
  expect(ports).to.deep.include({ name: 'http', containerPort: 8080 });
  expect(startupProbe.httpGet).to.eql({ path: '/healthz', port: 'http' });
  expect(livenessProbe.httpGet).to.eql({ path: '/healthz', port: 'http' });
  expect(readinessProbe.httpGet).to.eql({ path: '/readyz', port: 'http' });
  // The engines have a second to answer.
  expect(readinessProbe.timeoutSeconds).to.be.above(1);
};

const expectFewRights = ({ securityContext, containers: [container] }: any): void => {
  expect(securityContext).to.include({ runAsNonRoot: true });
  expect(container.securityContext).to.eql({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  expect(container.resources).to.have.keys('requests', 'limits');
};

/** It accepts the settings, is reachable from outside of its container, and lets no webhook into the network around it. */
const expectServing = (name: ServiceName, environment: Environment): void => {
  const config = readConfig({ ...imageEnvironment, ...environment });
  requireSettings(name, config);
  expect(config).to.include({ host: '0.0.0.0', port: 8080 });
  if (name === 'webhook-consumer') expect(config.webhookAllowPrivate).to.equal(false);
};

/** What opens or proves something. */
const secretsOf: Readonly<Record<ServiceName, readonly string[]>> = {
  'command-api': ['ROOMWIRE_MASTER_KEY', 'ROOMWIRE_SESSION_SECRET'],
  projections: ['ROOMWIRE_AUDIT_KEY'],
  gateway: ['ROOMWIRE_GATEWAY_KEY'],
  'webhook-consumer': ['ROOMWIRE_WEBHOOK_KEY'],
};

describe('deployment', () => {
  it('starts Node without `__proto__`, and with what it needs to collect its garbage gently, however it is started', () => {
    const { scripts } = JSON.parse(textOf('../package.json')) as { scripts: Record<string, string> };
    const starts = [
      scripts['start'],
      /^ENTRYPOINT .*/m.exec(textOf('Dockerfile'))?.[0],
      textOf('bin/roomwire.js').split('\n', 1)[0],
      /^ExecStart=.*/m.exec(textOf('../docs/DEPLOYMENT.md'))?.[0],
    ];
    for (const start of starts) {
      expect(start).to.include('--disable-proto=delete');
      expect(start).to.include('--v8-pool-size=0');
      expect(start).to.include('--max-semi-space-size=8');
    }
  });

  it('sets no variable that the configuration does not read', () => {
    const others = ['Dockerfile', 'docker-compose.yml', '.env.example', '../docs/DEPLOYMENT.md'];
    const files = [...others, ...manifests, ...chart];
    const known = knownVariables();
    for (const file of files) {
      const variables = Array.from(textOf(file).matchAll(/ROOMWIRE_[A-Z_]*[A-Z]/g), ([name]) => name);
      expect(known, file).to.include.members(variables);
    }
  });

  describe('Dockerfile', () => {
    it('installs every package of the workspace', () => {
      const { workspaces } = JSON.parse(textOf('../package.json')) as { workspaces: string[] };
      const dockerfile = textOf('Dockerfile');
      for (const name of workspaces) expect(dockerfile).to.include(`COPY ${name}/package.json ${name}/\n`);
    });

    it('installs without the scripts of packages, and builds from an exact version of Node', () => {
      const dockerfile = textOf('Dockerfile');
      for (const [line] of dockerfile.matchAll(/npm (?:ci|prune)\b.*/g))
        expect(line).to.include('--ignore-scripts');
      expect(dockerfile).to.match(/^ARG NODE_IMAGE=node:\d+\.\d+\.\d+-[a-z-]+$/m);
      expect(dockerfile.match(/^FROM .*/gm)).to.eql(['FROM ${NODE_IMAGE} AS build', 'FROM ${NODE_IMAGE}']);
    });

    it('runs the whole service with the data volume', () => {
      expect(readConfig(imageEnvironment)).to.include({ host: '0.0.0.0', port: 8080, dataDir: '/data' });
    });
  });

  describe('docker-compose.yml', () => {
    const { services, volumes } = parse(textOf('docker-compose.yml'), { merge: true }) as ComposeFile;
    const envFile = assignments(textOf('.env.example'));
    const serviceOf = (name: string): ComposeService =>
      services[name] ?? expect.fail(`There is no service ${name}`);

    /** As compose fills it in from the env file. */
    const environmentOf = (name: string): Environment =>
      withFiles(
        Object.fromEntries(
          Object.entries(serviceOf(name).environment).map(([variable, value]) => [
            variable,
            value.replace(/\$\{(\w+)[^}]*\}/g, (_, given: string) => envFile[given] ?? ''),
          ]),
        ),
      );

    it('starts images by exact versions from the env file, which has a place for their digests', () => {
      const images = Object.values(services).flatMap(({ image }) => image ?? []);
      for (const image of images.filter((each) => each !== 'roomwire')) {
        const [, variable = ''] = /^\$\{([A-Z]+_IMAGE)\}$/.exec(image) ?? [];
        expect(envFile[variable], image).to.match(/:v?\d+\.\d+\.\d+/);
      }
    });

    it('gives each service a user of its own, over TLS, and only the secrets that it uses', () => {
      for (const name of serviceNames) {
        const environment = serviceOf(name).environment;
        expect(environment['ROOMWIRE_MONGODB_URL']).to.include(`//${name}:`).and.include('tls=true');
        expect(environment).to.include({ ROOMWIRE_KAFKA_TLS: 'true', ROOMWIRE_KAFKA_USERNAME: name });
        const secrets = Object.keys(environment).filter((variable) => /(?:KEY|SECRET)$/.test(variable));
        expect(secrets, name).to.have.members(secretsOf[name]);
      }
    });

    for (const name of serviceNames) {
      it(`starts ${name} with the settings that it needs`, () => {
        expect(serviceOf(name).command).to.eql([name]);
        expect(serviceOf(name).healthcheck.test.join(' ')).to.include(':8080/readyz');
        expectServing(name, environmentOf(name));
      });

      it(`starts ${name} once its engines are healthy`, () => {
        for (const [engine, { condition }] of Object.entries(serviceOf(name).depends_on ?? {})) {
          expect(condition).to.equal('service_healthy');
          expect(serviceOf(engine).healthcheck.test, engine).to.not.be.empty;
        }
      });
    }

    it('runs the analytics in their profile only, and keeps their files', () => {
      const { command, profiles, volumes: mounts, healthcheck } = serviceOf('analytics');
      expect(healthcheck.test.join(' ')).to.include(':8080/readyz');
      expect([command, profiles]).to.eql([['analytics', 'run'], ['analytics']]);
      const { analyticsDir, engines } = readConfig({
        ...imageEnvironment,
        ...environmentOf('analytics'),
      });
      expect(engines.bus.settings).to.deep.include({ brokers: ['kafka:9092'] });
      const [, mounted] = mounts?.at(-1)?.split(':') ?? [];
      expect(analyticsDir).to.match(new RegExp(`^${mounted}/`));
    });

    it('keeps the data of the engines', () => {
      const mounts = Object.values(services).flatMap((service) => service.volumes ?? []);
      const named = mounts.map((mount) => mount.split(':')[0] ?? '').filter((name) => !name.startsWith('./'));
      expect(named).to.have.members(Object.keys(volumes));
    });

    it('exposes no port to other machines', () => {
      for (const { ports = [] } of Object.values(services))
        for (const port of ports) expect(port).to.match(/^127\.0\.0\.1:/);
    });
  });

  describe('Kubernetes manifests', () => {
    const resources = manifests.flatMap((path) =>
      parseAllDocuments(textOf(path)).map((document): any => document.toJS()),
    );
    const find = (kind: string, name: string): any =>
      resources.find((resource) => resource.kind === kind && resource.metadata?.name === name) ??
      expect.fail(`There is no ${kind} ${name}`);

    const filledIn = ({ stringData }: any): Environment =>
      Object.fromEntries(
        Object.entries(stringData as Environment).map(([name, value]) => [name, value || key]),
      );

    const environmentOf = ({ env = [], envFrom }: Container): Environment => {
      const common = envFrom.map(({ configMapRef, secretRef }) =>
        configMapRef
          ? find('ConfigMap', configMapRef.name).data
          : filledIn(find('Secret', secretRef?.name ?? '')),
      );
      const own = env.map(({ name, value }) => ({ [name]: value }));
      return withFiles(Object.assign({}, ...common, ...own));
    };

    for (const name of serviceNames) {
      const partsOf = () => {
        const { spec } = find('Deployment', name);
        const pod = spec.template.spec;
        return { spec, pod, container: pod.containers[0], labels: spec.template.metadata.labels };
      };

      it(`starts ${name} with the settings that it needs`, () => {
        const { container } = partsOf();
        expect(container.args).to.eql([name]);
        expectServing(name, environmentOf(container));
      });

      it(`checks the liveness and the readiness of ${name}`, () => expectAsked(partsOf().container));

      it(`replaces ${name} without downtime`, () => {
        const { spec, pod, container, labels } = partsOf();
        expect(spec.replicas).to.be.at.least(2);
        expect(spec.strategy.rollingUpdate).to.eql({ maxUnavailable: 0, maxSurge: 1 });
        const [command, seconds] = container.lifecycle.preStop.exec.command;
        expect(command).to.equal('sleep');
        const drainSeconds = name === 'gateway' ? readConfig(environmentOf(container)).drainMs / 1_000 : 0;
        expect(pod.terminationGracePeriodSeconds - seconds - drainSeconds).to.be.at.least(20);
        expect(find('PodDisruptionBudget', name).spec.selector.matchLabels).to.eql(labels);
      });

      it(`gives ${name} the secrets that it uses, and no others`, () => {
        const { data, stringData = data } = find('Secret', name);
        const secrets = Object.keys(stringData).filter((variable) => /(?:KEY|SECRET)$/.test(variable));
        expect(secrets).to.have.members(secretsOf[name]);
        expect(stringData.ROOMWIRE_MONGODB_URL).to.include(`//${name}:`).and.include('tls=true');
        const [{ configMapRef }, { secretRef }] = partsOf().container.envFrom;
        expect([configMapRef.name, secretRef.name]).to.eql(['roomwire', name]);
      });

      it(`gives ${name} no privilege that it does not need`, () => expectFewRights(partsOf().pod));
    }

    it('run the analytics as one process with its own volume', () => {
      const { spec } = find('Deployment', 'analytics');
      const pod = spec.template.spec;
      const [container] = pod.containers;
      expect(container.args).to.eql(['analytics', 'run']);
      expectAsked(container);
      expectFewRights(pod);
      const config = readConfig({ ...imageEnvironment, ...environmentOf(container) });
      expect(config).to.include({ host: '0.0.0.0', port: 8080 });
      expect(config.engines.bus.settings).to.have.property('brokers').that.has.length(1);
      const [{ name, mountPath }, certificates] = container.volumeMounts;
      expect(certificates).to.include({ name: 'certificates', readOnly: true });
      expect(config.analyticsDir).to.match(new RegExp(`^${mountPath}/`));
      expect(pod.volumes[0]).to.eql({ name, persistentVolumeClaim: { claimName: 'analytics' } });
      // Two pods would wait for the volume of each other for ever.
      expect(find('PersistentVolumeClaim', 'analytics').spec.accessModes).to.eql(['ReadWriteOnce']);
      expect(spec.strategy).to.eql({ type: 'Recreate' });
      expect(spec.replicas).to.equal(1);
      // The user of the process may write to it.
      expect(pod.securityContext.fsGroup).to.equal(pod.securityContext.runAsGroup);
    });

    it('route requests to services whose pods accept them', () => {
      const paths: readonly IngressPath[] = find('Ingress', 'roomwire').spec.rules[0].http.paths;
      const targets = paths.map(({ path, backend }) => [path, backend.service.name] as const);
      expect(targets).to.eql([
        ['/v1', 'command-api'],
        ['/docs', 'command-api'],
        ['/console', 'command-api'],
        ['/ws', 'gateway'],
      ]);
      for (const [, name] of targets) {
        const { selector, ports } = find('Service', name).spec;
        expect(selector).to.eql(find('Deployment', name).spec.template.metadata.labels);
        expect(ports).to.eql([{ name: 'http', port: 80, targetPort: 'http' }]);
      }
    });

    it('allow no traffic but what they name', () => {
      const policies = resources.filter(({ kind }) => kind === 'NetworkPolicy');
      const all = policies.find(({ spec }) => spec.ingress === undefined && spec.egress === undefined);
      expect(all.spec).to.eql({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
      const reachesLog = policies.find(({ metadata }) => metadata.name === 'eventstore').spec.podSelector;
      expect(reachesLog.matchExpressions[0].values).to.eql(['command-api', 'projections']);
      const webhooks = policies.find(({ metadata }) => metadata.name === 'webhooks').spec;
      expect(webhooks.podSelector.matchLabels).to.eql({ 'app.kubernetes.io/name': 'webhook-consumer' });
    });

    it('are all applied, the analytics as a component, except the example secret', () => {
      const appliedBy = (file: string) =>
        (parse(textOf(`kubernetes/${file}`)) as { readonly resources: readonly string[] }).resources;
      const component = appliedBy('analytics/kustomization.yaml').map((name) => `analytics/${name}`);
      const applied = [...appliedBy('kustomization.yaml'), ...component, 'analytics/kustomization.yaml'];
      const files = [...applied, 'kustomization.yaml', 'secrets.example.yaml'];
      expect(files.map((name) => `kubernetes/${name}`)).to.have.members(manifests);
    });
  });
});
