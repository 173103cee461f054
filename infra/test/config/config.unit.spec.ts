import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ConfigError, readConfig } from '../../src/config/config.js';
import { usesDataFolder, type Engines } from '../../src/engines/engines.js';
import type { Environment } from '../../src/environment.js';
import { requireSecrets, requireSettings, type ServiceName } from '../../src/services/service.js';

const key = Buffer.alloc(32, 7).toString('base64');

const settingsOf = ({ eventLog, readModels, bus }: Engines) =>
  Object.fromEntries(
    Object.entries({ eventLog, readModels, bus }).map(([port, { name, settings }]) => [
      port,
      { name, settings },
    ]),
  );

const securityOf = (variables: Environment): unknown => {
  const { settings } = readConfig({ ROOMWIRE_KAFKA_BROKERS: 'c:9092', ...variables }).engines.bus;
  return (settings as { readonly security?: unknown }).security;
};

describe('configuration', () => {
  it('has a default for every setting', () => {
    const { engines, ...config } = readConfig({});
    const files = { name: 'files', settings: {} };
    expect(settingsOf(engines)).to.eql({ eventLog: files, readModels: files, bus: files });
    expect(usesDataFolder(engines)).to.equal(true);
    expect(config).to.eql({
      host: '127.0.0.1',
      port: 8080,
      isPortGiven: false,
      opsHost: '127.0.0.1',
      opsPort: 9090,
      isOpsPortGiven: false,
      tracing: undefined,
      dataDir: './data',
      masterKey: undefined,
      auditKey: undefined,
      previousAuditKeys: [],
      previousMasterKeys: [],
      gatewayKey: undefined,
      previousGatewayKeys: [],
      webhookKey: undefined,
      previousWebhookKeys: [],
      sessionSecret: undefined,
      previousSessionSecrets: [],
      oidc: undefined,
      consoleOidc: undefined,
      messageRecording: false,
      gatewayThreads: 1,
      deduplicationMs: 600_000,
      revalidationMs: 600_000,
      idleTimeoutMs: 60_000,
      drainMs: 0,
      publishRate: 50,
      requestRate: 100,
      retainedBytes: 67_108_864,
      sharedMemory: {
        subscriptionBytes: 536_870_912,
        groupMemoryBytes: 268_435_456,
        presenceMemoryBytes: 536_870_912,
        outboxMemoryBytes: 1_073_741_824,
      },
      restRate: 100,
      restBurst: 200,
      httpPublishRate: 1_000,
      console: true,
      consoleGatewayUrl: undefined,
      corsOrigins: undefined,
      wsOrigins: undefined,
      trustedProxies: 0,
      failedAuthDelayMs: 5_000,
      webhookAllowPrivate: true,
      webhookAllowNetworks: [],
      webhookDenyNetworks: [],
      webhookBacklogCalls: 10_000,
      webhookBacklogBytes: 64 * 2 ** 20,
      webhookProxy: undefined,
      deadLetters: 100_000,
      connectionRecord: true,
      connectionRecordMs: 7 * 86_400_000,
      connectionRecordBytes: 512 * 1024 * 1024,
      payloadLimits: { retentionMs: 14 * 86_400_000, quotaBytes: 1024 * 1024 * 1024 },
      analytics: false,
      analyticsDir: 'data/analytics',
      analyticsDays: 365,
      analyticsPayloads: false,
      logLevel: 'info',
    });
  });

  it('reads every variable', () => {
    const config = readConfig({
      ROOMWIRE_HOST: '0.0.0.0',
      ROOMWIRE_PORT: '0',
      ROOMWIRE_DATA_DIR: '/var/lib/roomwire',
      ROOMWIRE_MASTER_KEY: key,
      ROOMWIRE_MASTER_KEY_PREVIOUS: `${key}, ${Buffer.alloc(32, 8).toString('base64')}`,
      ROOMWIRE_AUDIT_KEY: key,
      ROOMWIRE_AUDIT_KEY_PREVIOUS: key,
      ROOMWIRE_SESSION_SECRET_PREVIOUS: key,
      ROOMWIRE_MESSAGE_RECORDING: 'TRUE',
      ROOMWIRE_GATEWAY_THREADS: '3',
      ROOMWIRE_DEDUPLICATION_SECONDS: '86400',
      ROOMWIRE_IDLE_TIMEOUT_SECONDS: '5',
      ROOMWIRE_PUBLISH_RATE: '0',
      ROOMWIRE_REQUEST_RATE: '250',
      ROOMWIRE_HTTP_PUBLISH_RATE: '5',
      ROOMWIRE_RETAINED_MIB: '16',
      ROOMWIRE_SUBSCRIPTION_MIB: '32',
      ROOMWIRE_GROUP_MIB: '8',
      ROOMWIRE_PRESENCE_MIB: '128',
      ROOMWIRE_OUTBOX_MIB: '64',
      ROOMWIRE_TRUSTED_PROXIES: '2',
      ROOMWIRE_FAILED_AUTH_DELAY_SECONDS: '0',
      ROOMWIRE_DEAD_LETTERS: '5000',
      ROOMWIRE_CONNECTION_RECORD: 'false',
      ROOMWIRE_CONNECTION_RECORD_DAYS: '2',
      ROOMWIRE_CONNECTION_RECORD_MIB: '64',
      ROOMWIRE_PAYLOAD_DAYS: '3',
      ROOMWIRE_PAYLOAD_QUOTA_MIB: '10',
      ROOMWIRE_SESSION_JWKS_URL: 'https://issuer.test/jwks',
      ROOMWIRE_SESSION_ISSUER: 'https://issuer.test',
      ROOMWIRE_SESSION_AUDIENCE: 'roomwire',
      ROOMWIRE_SESSION_ORGS_CLAIM: 'https://example.com/orgs',
      ROOMWIRE_SESSION_OPERATOR_CLAIM: 'staff',
      ROOMWIRE_SESSION_ROLES_CLAIM: 'org_roles',
      ROOMWIRE_CONSOLE_OIDC_CLIENT_ID: 'console',
      ROOMWIRE_CONSOLE_OIDC_AUTHORIZATION_URL: 'https://issuer.test/authorize',
      ROOMWIRE_CONSOLE_OIDC_TOKEN_URL: 'https://issuer.test/token',
      ROOMWIRE_CONSOLE_OIDC_SCOPE: 'openid roomwire',
      ROOMWIRE_WEBHOOK_BACKLOG_CALLS: '500',
      ROOMWIRE_WEBHOOK_BACKLOG_MIB: '4',
      ROOMWIRE_LOG_LEVEL: 'debug',
    });
    expect(config).to.deep.include({
      host: '0.0.0.0',
      port: 0,
      dataDir: '/var/lib/roomwire',
      masterKey: Buffer.alloc(32, 7),
      previousMasterKeys: [Buffer.alloc(32, 7), Buffer.alloc(32, 8)],
      auditKey: Buffer.alloc(32, 7),
      previousAuditKeys: [Buffer.alloc(32, 7)],
      previousSessionSecrets: [Buffer.alloc(32, 7)],
      messageRecording: true,
      gatewayThreads: 3,
      deduplicationMs: 86_400_000,
      idleTimeoutMs: 5_000,
      publishRate: 0,
      requestRate: 250,
      httpPublishRate: 5,
      retainedBytes: 16 * 1024 * 1024,
      sharedMemory: {
        subscriptionBytes: 32 * 1024 * 1024,
        groupMemoryBytes: 8 * 1024 * 1024,
        presenceMemoryBytes: 128 * 1024 * 1024,
        outboxMemoryBytes: 64 * 1024 * 1024,
      },
      trustedProxies: 2,
      failedAuthDelayMs: 0,
      webhookBacklogCalls: 500,
      webhookBacklogBytes: 4 * 1024 * 1024,
      deadLetters: 5_000,
      connectionRecord: false,
      connectionRecordMs: 2 * 86_400_000,
      connectionRecordBytes: 64 * 1024 * 1024,
      payloadLimits: { retentionMs: 3 * 86_400_000, quotaBytes: 10 * 1024 * 1024 },
      oidc: {
        jwksUrl: 'https://issuer.test/jwks',
        issuer: 'https://issuer.test',
        audience: 'roomwire',
        claims: { organizations: 'https://example.com/orgs', operator: 'staff', roles: 'org_roles' },
      },
      consoleOidc: {
        ...{ issuer: 'https://issuer.test', audience: 'roomwire', clientId: 'console' },
        authorizationEndpoint: 'https://issuer.test/authorize',
        tokenEndpoint: 'https://issuer.test/token',
        scope: 'openid roomwire',
      },
      logLevel: 'debug',
    });
  });

  it('selects the engine of each port independently', () => {
    const onKafka = readConfig({ ROOMWIRE_KAFKA_BROKERS: 'c:9092, [::1]:9093' });
    expect(settingsOf(onKafka.engines).bus).to.eql({
      name: 'Kafka',
      settings: { brokers: ['c:9092', '[::1]:9093'], security: {} },
    });
    expect(usesDataFolder(onKafka.engines)).to.equal(true);
    expect(onKafka).to.deep.include({
      webhookAllowPrivate: false,
      drainMs: 15_000,
    });
    const clusters = {
      ROOMWIRE_EVENTSTORE_URL: 'esdb://u:p@a:2113,b:2113?tls=false',
      ROOMWIRE_MONGODB_URL: 'mongodb://a:27017,b:27017/x?replicaSet=rs0',
      ROOMWIRE_KAFKA_BROKERS: 'c:9092',
    };
    const { engines } = readConfig(clusters);
    expect(settingsOf(engines)).to.deep.include({
      eventLog: { name: 'EventStoreDB', settings: { url: clusters.ROOMWIRE_EVENTSTORE_URL } },
      readModels: { name: 'MongoDB', settings: { url: clusters.ROOMWIRE_MONGODB_URL } },
    });
    expect(usesDataFolder(engines)).to.equal(false);
    for (const scheme of ['esdb', 'esdb+discover', 'kurrentdb', 'kurrentdb+discover']) {
      const url = `${scheme}://u:p@a:2113,b:2113?tls=false`;
      const { eventLog } = readConfig({ ...clusters, ROOMWIRE_EVENTSTORE_URL: url }).engines;
      expect(eventLog.settings).to.deep.equal({ url });
    }
    for (const bad of ['http://a', 'kurrentdb://', 'kurrentdb+srv://a'])
      expect(() => readConfig({ ROOMWIRE_EVENTSTORE_URL: bad })).to.throw(
        ConfigError,
        /ROOMWIRE_EVENTSTORE_URL/,
      );
    for (const bad of ['kafka', 'c:9092,', 'http://c:9092'])
      expect(() => readConfig({ ROOMWIRE_KAFKA_BROKERS: bad })).to.throw(
        ConfigError,
        /ROOMWIRE_KAFKA_BROKERS/,
      );
    for (const bad of ['http://a', 'mongodb://', 'mongodb:// a'])
      expect(() => readConfig({ ROOMWIRE_MONGODB_URL: bad })).to.throw(ConfigError, /ROOMWIRE_MONGODB_URL/);
  });

  it('[HOOK-SSRF-1] lets webhooks reach private addresses where all of it is on this machine', () => {
    const allows = (environment: Record<string, string>) => readConfig(environment).webhookAllowPrivate;
    for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost'])
      expect(allows({ ROOMWIRE_HOST: host }), host).to.equal(true);
    for (const host of ['0.0.0.0', '::', '10.0.0.7', 'roomwire.internal'])
      expect(allows({ ROOMWIRE_HOST: host }), host).to.equal(false);
    for (const engine of [
      { ROOMWIRE_EVENTSTORE_URL: 'esdb://a:2113' },
      { ROOMWIRE_MONGODB_URL: 'mongodb://a' },
      { ROOMWIRE_KAFKA_BROKERS: 'a:9092' },
    ])
      expect(allows(engine), Object.keys(engine).join()).to.equal(false);
    expect(allows({ ROOMWIRE_HOST: '0.0.0.0', ROOMWIRE_WEBHOOK_ALLOW_PRIVATE: 'true' })).to.equal(true);
    expect(allows({ ROOMWIRE_WEBHOOK_ALLOW_PRIVATE: 'false' })).to.equal(false);
  });

  it('reads how to connect to secured brokers', () => {
    const login = {
      ROOMWIRE_KAFKA_SASL_MECHANISM: 'scram-sha-512',
      ROOMWIRE_KAFKA_USERNAME: 'roomwire',
      ROOMWIRE_KAFKA_PASSWORD: 'secret',
    };
    const sasl = { mechanism: 'scram-sha-512', username: 'roomwire', password: 'secret' };
    expect(securityOf({ ...login, ROOMWIRE_KAFKA_TLS: 'true' })).to.eql({
      tls: { ca: undefined },
      sasl,
    });
    const [thisFile, ca] = [fileURLToPath(import.meta.url), readFileSync(new URL(import.meta.url), 'utf8')];
    expect(securityOf({ ROOMWIRE_KAFKA_CA_FILE: thisFile })).to.eql({ tls: { ca } });
    expect(() => readConfig({ ROOMWIRE_KAFKA_CA_FILE: '/nowhere' })).to.throw(
      ConfigError,
      'ROOMWIRE_KAFKA_CA_FILE cannot be read (ENOENT)',
    );
    for (const name of Object.keys(login))
      expect(() => readConfig({ ...login, [name]: '' }), name)
        .to.throw(ConfigError, 'need one another')
        .with.property('message')
        .that.does.not.include('secret');
    expect(() => readConfig({ ROOMWIRE_KAFKA_SASL_MECHANISM: 'gssapi' })).to.throw(
      ConfigError,
      'one of plain',
    );
  });

  it('reads where webhooks may be sent, and through which proxy', () => {
    const networks = {
      ROOMWIRE_WEBHOOK_ALLOW_NETWORKS: '10.1.0.0/16, fd00::/8',
      ROOMWIRE_WEBHOOK_DENY_NETWORKS: '10.1.2.3',
    };
    const proxy = 'http://user:secret@proxy.test:3128';
    expect(readConfig({ ...networks, ROOMWIRE_WEBHOOK_PROXY: proxy })).to.deep.include({
      webhookAllowNetworks: ['10.1.0.0/16', 'fd00::/8'],
      webhookDenyNetworks: ['10.1.2.3'],
      webhookProxy: proxy,
    });
    for (const bad of ['10.0.0.0/33', 'example.com', '10.0.0.1,', '10.0.0.1 10.0.0.2'])
      for (const name of Object.keys(networks))
        expect(() => readConfig({ [name]: bad }), bad).to.throw(
          ConfigError,
          `${name} must be networks such as`,
        );
    for (const bad of ['socks5://user:secret@proxy.test', 'proxy.test:secret'])
      expect(() => readConfig({ ROOMWIRE_WEBHOOK_PROXY: bad }))
        .to.throw(ConfigError, 'ROOMWIRE_WEBHOOK_PROXY must be an address that begins with http://')
        .with.property('message')
        .that.does.not.include('secret');
  });

  it('takes the sessions of an issuer only for an audience, and its keys only over a way that nobody can change', () => {
    const issuer = {
      ROOMWIRE_SESSION_JWKS_URL: 'https://issuer.test/jwks',
      ROOMWIRE_SESSION_ISSUER: 'https://issuer.test',
      ROOMWIRE_SESSION_AUDIENCE: 'roomwire',
    };
    expect(readConfig(issuer).oidc).to.deep.include({
      claims: { organizations: 'orgs', operator: 'operator', roles: 'roles' },
    });
    const needed = 'ROOMWIRE_SESSION_JWKS_URL needs ROOMWIRE_SESSION_ISSUER and ROOMWIRE_SESSION_AUDIENCE';
    for (const name of ['ROOMWIRE_SESSION_ISSUER', 'ROOMWIRE_SESSION_AUDIENCE'])
      expect(() => readConfig({ ...issuer, [name]: '' }), name).to.throw(ConfigError, needed);
    for (const alone of [
      { ...issuer, ROOMWIRE_SESSION_JWKS_URL: '' },
      { ROOMWIRE_SESSION_ORGS_CLAIM: 'organizations' },
    ])
      expect(() => readConfig(alone)).to.throw(ConfigError, 'need ROOMWIRE_SESSION_JWKS_URL');
    for (const host of ['localhost:8081', '127.0.0.1', '127.8.0.1', '[::1]:1'])
      expect(readConfig({ ...issuer, ROOMWIRE_SESSION_JWKS_URL: `http://${host}/` }).oidc, host).to.be.an(
        'object',
      );
    for (const host of ['issuer.test', '10.0.0.1', '127.0.0.1.test', 'localhost.test', '[::2]', '0.0.0.0'])
      expect(() => readConfig({ ...issuer, ROOMWIRE_SESSION_JWKS_URL: `http://${host}/` }), host).to.throw(
        ConfigError,
        'must begin with https:// unless its host is a loopback address',
      );
    expect(() => readConfig({ ...issuer, ROOMWIRE_SESSION_OPERATOR_CLAIM: 'orgs' })).to.throw(
      ConfigError,
      'must be different ones',
    );
  });

  it('lets pages of the console sign in with the issuer of sessions alone', () => {
    const issuer = {
      ROOMWIRE_SESSION_JWKS_URL: 'https://issuer.test/jwks',
      ROOMWIRE_SESSION_ISSUER: 'https://issuer.test',
      ROOMWIRE_SESSION_AUDIENCE: 'roomwire',
    };
    const settings = {
      ROOMWIRE_CONSOLE_OIDC_CLIENT_ID: 'console',
      ROOMWIRE_CONSOLE_OIDC_AUTHORIZATION_URL: 'https://issuer.test/authorize',
      ROOMWIRE_CONSOLE_OIDC_TOKEN_URL: 'https://issuer.test/token',
    };
    expect(readConfig({ ...issuer, ...settings }).consoleOidc).to.include({ scope: 'openid' });
    expect(() => readConfig(settings)).to.throw(ConfigError, 'needs ROOMWIRE_SESSION_JWKS_URL');
    for (const name of Object.keys(settings))
      expect(() => readConfig({ ...issuer, ...settings, [name]: '' }), name).to.throw(
        ConfigError,
        'set together',
      );
    const open = { ...settings, ROOMWIRE_CONSOLE_OIDC_TOKEN_URL: 'http://issuer.test/token' };
    expect(() => readConfig({ ...issuer, ...open })).to.throw(ConfigError, 'must begin with https://');
  });

  it('requires explicit secrets where there is no file to keep them in', () => {
    const engines = {
      ROOMWIRE_EVENTSTORE_URL: 'esdb://a',
      ROOMWIRE_MONGODB_URL: 'mongodb://b/',
      ROOMWIRE_KAFKA_BROKERS: 'c:9092',
    };
    expect(() => requireSecrets(readConfig(engines))).to.throw(
      ConfigError,
      /ROOMWIRE_MASTER_KEY.*ROOMWIRE_SESSION_SECRET/,
    );
    requireSecrets(readConfig({ ...engines, ROOMWIRE_MASTER_KEY: key, ROOMWIRE_SESSION_SECRET: key }));
    requireSecrets(readConfig({}));
    expect(() => requireSettings('gateway', readConfig({ ROOMWIRE_MONGODB_URL: 'mongodb://b/' }))).to.throw(
      ConfigError,
      'roomwire gateway needs ROOMWIRE_KAFKA_BROKERS',
    );
  });

  it('lets projections have the audit key alone', () => {
    const engines = {
      ROOMWIRE_EVENTSTORE_URL: 'esdb://a',
      ROOMWIRE_MONGODB_URL: 'mongodb://b/',
      ROOMWIRE_KAFKA_BROKERS: 'c:9092',
    };
    const problem = 'Bad configuration: roomwire projections needs ROOMWIRE_AUDIT_KEY or ROOMWIRE_MASTER_KEY';
    expect(() => requireSettings('projections', readConfig(engines))).to.throw(ConfigError, problem);
    requireSettings('projections', readConfig({ ...engines, ROOMWIRE_AUDIT_KEY: key }));
    // It follows from the master key, where that is configured for every process.
    requireSettings('projections', readConfig({ ...engines, ROOMWIRE_MASTER_KEY: key }));
  });

  it('requires of a service the secrets that it uses, and the fewest rights are enough', () => {
    const missing = (name: ServiceName, secrets: Readonly<Record<string, string>>): string | undefined => {
      const engines = {
        ROOMWIRE_EVENTSTORE_URL: 'esdb://a',
        ROOMWIRE_MONGODB_URL: 'mongodb://b/',
        ROOMWIRE_KAFKA_BROKERS: 'c:9092',
      };
      try {
        requireSettings(name, readConfig({ ...engines, ...secrets }));
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(missing('gateway', {})).to.include('needs ROOMWIRE_GATEWAY_KEY or ROOMWIRE_MASTER_KEY');
    expect(missing('webhook-consumer', {})).to.include('needs ROOMWIRE_WEBHOOK_KEY or ROOMWIRE_MASTER_KEY');
    expect(missing('webhook-consumer', { ROOMWIRE_GATEWAY_KEY: key })).to.include('ROOMWIRE_WEBHOOK_KEY');
    expect(missing('gateway', { ROOMWIRE_GATEWAY_KEY: key })).to.equal(undefined);
    expect(missing('webhook-consumer', { ROOMWIRE_WEBHOOK_KEY: key })).to.equal(undefined);
    expect(missing('command-api', { ROOMWIRE_GATEWAY_KEY: key })).to.include('ROOMWIRE_MASTER_KEY');
  });

  it('normalizes origins as browsers send them', () => {
    for (const [text, origins] of [
      ['*', '*'],
      ['', undefined],
      [' https://a.test , http://localhost:3000', ['https://a.test', 'http://localhost:3000']],
      [
        'capacitor://localhost,https://xn--bcher-kva.test',
        ['capacitor://localhost', 'https://xn--bcher-kva.test'],
      ],
    ] as const)
      for (const name of ['ROOMWIRE_CORS_ORIGINS', 'ROOMWIRE_WS_ORIGINS']) {
        const config = readConfig({ [name]: text });
        expect(name === 'ROOMWIRE_CORS_ORIGINS' ? config.corsOrigins : config.wsOrigins).to.eql(origins);
      }
  });

  it('refuses an origin that no browser sends', () => {
    for (const text of [
      'a.test',
      'https://a.test/',
      'https://a.test/path',
      'https://a.test?x',
      'https://A.test',
      'https://a.test:443',
      'https://user@a.test',
      'https://*.a.test',
      'https://a.test,*',
      'https://a.test,',
      'https://a.test https://b.test',
      'null',
      'https://',
      'http://a.test:99999',
    ])
      for (const name of ['ROOMWIRE_CORS_ORIGINS', 'ROOMWIRE_WS_ORIGINS'])
        expect(() => readConfig({ [name]: text }), text).to.throw(
          ConfigError,
          `${name} must be * or origins such as https://app.example.com`,
        );
  });

  it('treats an empty variable as not set', () => {
    expect(readConfig({ ROOMWIRE_PORT: '', ROOMWIRE_LOG_LEVEL: ' ' })).to.include({
      port: 8080,
      logLevel: 'info',
    });
  });

  it('tells whether the port of the metrics was set explicitly', () => {
    const given = readConfig({ ROOMWIRE_OPS_PORT: '9090' });
    expect(given).to.include({ opsPort: 9090, isOpsPortGiven: true });
    expect(readConfig({ ROOMWIRE_OPS_PORT: '' })).to.include({ opsPort: 9090, isOpsPortGiven: false });
    const same = { ROOMWIRE_PORT: '9090', ROOMWIRE_OPS_PORT: '9090' };
    expect(() => readConfig(same)).to.throw('ROOMWIRE_OPS_PORT must be another port than ROOMWIRE_PORT');
    expect(readConfig({ ...same, ROOMWIRE_OPS_PORT: '' })).to.include({ isOpsPortGiven: false });
    expect(readConfig({ ROOMWIRE_PORT: '0', ROOMWIRE_OPS_PORT: '0' })).to.include({ opsPort: 0 });
  });

  it('tells whether the port of the service was set explicitly', () => {
    expect(readConfig({ ROOMWIRE_PORT: '8080' })).to.include({ port: 8080, isPortGiven: true });
    expect(readConfig({ ROOMWIRE_PORT: '' })).to.include({ port: 8080, isPortGiven: false });
  });

  it('reads where to send traces from the variables of OpenTelemetry', () => {
    const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
    const settings = { sampler: 'parentbased_traceidratio', ratio: 0.01, delayMs: 5_000 };
    const tracing = (more: object = {}) => readConfig({ ...base, ...more }).tracing;
    expect(tracing()).to.eql({ url: 'http://collector:4318/v1/traces', ...settings });
    expect(tracing({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://x/otlp/' })?.url).to.equal(
      'https://x/otlp/v1/traces',
    );
    expect(tracing({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://x/t' })?.url).to.equal('http://x/t');
    const sampled = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' };
    expect(tracing(sampled)).to.include({ sampler: 'traceidratio', ratio: 0.25 });
    expect(tracing({ OTEL_SDK_DISABLED: 'true' })).to.equal(undefined);
    expect(tracing({ OTEL_TRACES_EXPORTER: 'none' })).to.equal(undefined);
    expect(readConfig({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }).tracing).to.equal(undefined);
    for (const ratio of ['1.1', '-0.1', 'half', '1e-3', '.'])
      expect(() => tracing({ OTEL_TRACES_SAMPLER_ARG: ratio }), ratio).to.throw(ConfigError);
    for (const ratio of ['0', '1', '1.0', '.5', '0.001'])
      expect(tracing({ OTEL_TRACES_SAMPLER_ARG: ratio })?.ratio, ratio).to.equal(Number(ratio));
  });

  it('has threads for a bus on files alone', () => {
    const threads = { ROOMWIRE_GATEWAY_THREADS: '2' };
    expect(readConfig(threads).gatewayThreads).to.equal(2);
    expect(() => readConfig({ ...threads, ROOMWIRE_KAFKA_BROKERS: 'k:9092' })).to.throw(
      ConfigError,
      'ROOMWIRE_GATEWAY_THREADS',
    );
    expect(() => readConfig({ ROOMWIRE_GATEWAY_THREADS: '0' })).to.throw(ConfigError);
  });

  it('names each problem in one line, and shows no secret', () => {
    const bad = {
      ROOMWIRE_PORT: '8o8o',
      ROOMWIRE_OPS_PORT: '-1',
      ROOMWIRE_MESSAGE_RECORDING: 'yes',
      ROOMWIRE_SESSION_SECRET: 'c2hvcnQ=',
      ROOMWIRE_MASTER_KEY_PREVIOUS: `${key},c2hvcnQ=`,
      ROOMWIRE_SESSION_AUDIENCE: 'x',
      ROOMWIRE_REST_BURST: '0',
      ROOMWIRE_IDLE_TIMEOUT_SECONDS: '1e3',
    };
    expect(() => readConfig(bad))
      .to.throw(ConfigError)
      .with.property('message')
      .that.satisfies((message: string) => {
        for (const name of Object.keys(bad)) expect(message).to.include(name);
        return !message.includes('\n') && !message.includes('c2hvcnQ=');
      });
  });
});
