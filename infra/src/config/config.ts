import { join } from 'node:path';
import { defaultOptions as gatewayDefaults } from '@roomwire/gateway/options';
import type { ConsoleOidc } from '@roomwire/command-api/console/signInWays';
import type { PayloadLimits } from '@roomwire/shared/ports/payloadStore';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { ownClaimNames } from '@roomwire/shared/credentials/sessionClaims';
import type { OidcIssuer } from '@roomwire/shared/credentials/sessionToken';
import { isLoopbackHost } from '@roomwire/shared/runtime/networks';
import { isEmbedded, readEngines, type Engines } from '../engines/engines.js';
import { readConsoleOidc } from './consoleSettings.js';
import { isSecureAddress } from './secureAddress.js';
import { readGatewayThreads } from './threadSettings.js';
import { readTracing, type TracingSettings } from './tracingSettings.js';
import { createVariableReader, type Environment, type VariableReader } from '../environment.js';

export const logLevels = ['error', 'warn', 'info', 'debug'] as const;

export interface Config {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Whether the port was configured. */
  readonly isPortGiven: boolean;
  /** Where the metrics are served. */
  readonly opsHost: string;
  /** For the metrics; 0 is off. */
  readonly opsPort: number;
  /** Whether the port was configured: then the service does not start without it. */
  readonly isOpsPortGiven: boolean;
  readonly dataDir: string;
  readonly engines: Engines;
  readonly masterKey: Uint8Array | undefined;
  /** Master keys that may still open what they have sealed. */
  readonly previousMasterKeys: readonly Uint8Array[];
  /** Derived from the master key: the one that opens signing keys, and the one that opens webhook secrets. */
  readonly gatewayKey: Uint8Array | undefined;
  readonly previousGatewayKeys: readonly Uint8Array[];
  readonly webhookKey: Uint8Array | undefined;
  readonly previousWebhookKeys: readonly Uint8Array[];
  readonly sessionSecret: Uint8Array | undefined;
  /** Those that signed sessions before, and still verify them. */
  readonly previousSessionSecrets: readonly Uint8Array[];
  /** Instead of the one that follows from the master key. */
  readonly auditKey: Uint8Array | undefined;
  readonly previousAuditKeys: readonly Uint8Array[];
  /** The issuer whose session tokens are accepted, too. */
  readonly oidc: OidcIssuer | undefined;
  /** How pages of the console sign in with it; undefined where they do not. */
  readonly consoleOidc: ConsoleOidc | undefined;
  readonly messageRecording: boolean;
  /** Threads that have the sockets; 1: the main thread has them. */
  readonly gatewayThreads: number;
  /** How long the id of a publish stands for its message. */
  readonly deduplicationMs: number;
  readonly revalidationMs: number;
  readonly idleTimeoutMs: number;
  /** The connections of a gateway that shuts down are closed over this time; 0: all at once. */
  readonly drainMs: number;
  /** Publishes a second and connection; 0 is off. */
  readonly publishRate: number;
  /** What a connection may ask for a second, before it has to wait; 0 is off. */
  readonly requestRate: number;
  /** Memory for the last values of topics. */
  readonly retainedBytes: number;
  /** Budgets of a gateway for what all its clients share. */
  readonly sharedMemory: {
    readonly subscriptionBytes: number;
    readonly groupMemoryBytes: number;
    readonly presenceMemoryBytes: number;
    readonly outboxMemoryBytes: number;
  };
  /** Requests a second of an API key or a session subject, and how many at once; a rate of 0 is off. */
  readonly restRate: number;
  readonly restBurst: number;
  /** Messages a second that an API key may publish over HTTP; 0 is off. */
  readonly httpPublishRate: number;
  /** Whether command-api serves the console. */
  readonly console: boolean;
  /** Where the console finds the gateway; undefined: at its own origin. */
  readonly consoleGatewayUrl: string | undefined;
  /** Whose pages may call the REST API from a browser; undefined: none. */
  readonly corsOrigins: readonly string[] | '*' | undefined;
  /** Whose pages may open WebSockets; undefined: all. */
  readonly wsOrigins: readonly string[] | '*' | undefined;
  /** Proxies in front of the service whose `X-Forwarded-For` names the client. */
  readonly trustedProxies: number;
  /** The longest that the answer to a failed authentication is delayed. */
  readonly failedAuthDelayMs: number;
  readonly webhookAllowPrivate: boolean;
  /** Networks that webhooks may reach despite the default rules, and those that they never may. */
  readonly webhookAllowNetworks: readonly string[];
  readonly webhookDenyNetworks: readonly string[];
  /** What a project may have in the backlog of webhook calls. */
  readonly webhookBacklogCalls: number;
  readonly webhookBacklogBytes: number;
  /** An HTTP proxy for webhook calls; it may hold a password. */
  readonly webhookProxy: string | undefined;
  /** Of a project. */
  readonly deadLetters: number;
  /** Whether what happens to connections is on record, and for how long. */
  readonly connectionRecord: boolean;
  readonly connectionRecordMs: number;
  /** On files. */
  readonly connectionRecordBytes: number;
  /** Of dead letters. */
  readonly payloadLimits: PayloadLimits;
  /** Whether a service whose bus is in process keeps what the analytics are made of. */
  readonly analytics: boolean;
  /** Of the Parquet files. */
  readonly analyticsDir: string;
  /** Retention of facts in days; 0 is unlimited. */
  readonly analyticsDays: number;
  /** Whether what was published is kept, and not only how much it was. */
  readonly analyticsPayloads: boolean;
  readonly logLevel: (typeof logLevels)[number];
  /** Undefined: nothing is traced. */
  readonly tracing: TracingSettings | undefined;
}

const day = 86_400_000;

/** Everything that is wrong with the configuration, in one line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Bad configuration: ${problems.join('; ')}`);
    this.problems = problems;
  }
}

/** The settings of the environment. Throws one `ConfigError` that names every problem. */
export const readConfig = (environment: Environment): Config => {
  const problems: string[] = [];
  const read = createVariableReader(environment, problems);
  const seconds = (name: string, fallbackMs: number) =>
    read.integer(name, fallbackMs / 1_000, { min: 1, max: 86_400 }) * 1_000;
  const mebibytes = (name: string, fallbackBytes: number) =>
    read.integer(name, fallbackBytes / 2 ** 20, { min: 1, max: 1_048_576 }) * 2 ** 20;
  const port = { min: 0, max: 65_535 };
  const rate = { min: 0, max: 1_000_000 };

  const engines = readEngines(read, problems);
  const dataDir = read.text('ROOMWIRE_DATA_DIR') ?? './data';
  const host = read.text('ROOMWIRE_HOST') ?? '127.0.0.1';
  const oidc = readOidc(read, problems);
  const config: Config = {
    host,
    port: read.integer('ROOMWIRE_PORT', 8080, port),
    isPortGiven: read.text('ROOMWIRE_PORT') !== undefined,
    opsHost: read.text('ROOMWIRE_OPS_HOST') ?? '127.0.0.1',
    opsPort: read.integer('ROOMWIRE_OPS_PORT', 9090, port),
    isOpsPortGiven: read.text('ROOMWIRE_OPS_PORT') !== undefined,
    dataDir,
    engines,
    masterKey: read.key('ROOMWIRE_MASTER_KEY'),
    previousMasterKeys: read.keys('ROOMWIRE_MASTER_KEY_PREVIOUS'),
    gatewayKey: read.key('ROOMWIRE_GATEWAY_KEY'),
    previousGatewayKeys: read.keys('ROOMWIRE_GATEWAY_KEY_PREVIOUS'),
    webhookKey: read.key('ROOMWIRE_WEBHOOK_KEY'),
    previousWebhookKeys: read.keys('ROOMWIRE_WEBHOOK_KEY_PREVIOUS'),
    sessionSecret: read.key('ROOMWIRE_SESSION_SECRET'),
    previousSessionSecrets: read.keys('ROOMWIRE_SESSION_SECRET_PREVIOUS'),
    auditKey: read.key('ROOMWIRE_AUDIT_KEY'),
    previousAuditKeys: read.keys('ROOMWIRE_AUDIT_KEY_PREVIOUS'),
    oidc,
    consoleOidc: readConsoleOidc(read, oidc, problems),
    messageRecording: read.flag('ROOMWIRE_MESSAGE_RECORDING', false),
    gatewayThreads: readGatewayThreads(read, engines, problems),
    deduplicationMs: seconds('ROOMWIRE_DEDUPLICATION_SECONDS', limitTable.deduplicationMs.value),
    revalidationMs: seconds('ROOMWIRE_REVALIDATION_SECONDS', gatewayDefaults.revalidationMs),
    idleTimeoutMs: seconds('ROOMWIRE_IDLE_TIMEOUT_SECONDS', gatewayDefaults.idleTimeoutMs),
    // Without a bus between gateways there is no other one to go to, and a drain would only delay the next process.
    drainMs:
      read.integer('ROOMWIRE_DRAIN_SECONDS', engines.bus.onFiles ? 0 : 15, { min: 0, max: 3_600 }) * 1_000,
    publishRate: read.integer('ROOMWIRE_PUBLISH_RATE', gatewayDefaults.publishRate, rate),
    requestRate: read.integer('ROOMWIRE_REQUEST_RATE', gatewayDefaults.requestRate, rate),
    retainedBytes: mebibytes('ROOMWIRE_RETAINED_MIB', gatewayDefaults.retainedBytes),
    sharedMemory: {
      subscriptionBytes: mebibytes('ROOMWIRE_SUBSCRIPTION_MIB', gatewayDefaults.subscriptionBytes),
      groupMemoryBytes: mebibytes('ROOMWIRE_GROUP_MIB', gatewayDefaults.groupMemoryBytes),
      presenceMemoryBytes: mebibytes('ROOMWIRE_PRESENCE_MIB', gatewayDefaults.presenceMemoryBytes),
      outboxMemoryBytes: mebibytes('ROOMWIRE_OUTBOX_MIB', gatewayDefaults.outboxMemoryBytes),
    },
    restRate: read.integer('ROOMWIRE_REST_RATE', limitTable.restRate.value, rate),
    restBurst: read.integer('ROOMWIRE_REST_BURST', limitTable.restBurst.value, rate),
    httpPublishRate: read.integer('ROOMWIRE_HTTP_PUBLISH_RATE', limitTable.httpPublishRate.value, rate),
    console: read.flag('ROOMWIRE_CONSOLE', true),
    consoleGatewayUrl: read.url('ROOMWIRE_CONSOLE_GATEWAY_URL', ['ws:', 'wss:']),
    corsOrigins: read.origins('ROOMWIRE_CORS_ORIGINS'),
    wsOrigins: read.origins('ROOMWIRE_WS_ORIGINS'),
    failedAuthDelayMs:
      read.integer('ROOMWIRE_FAILED_AUTH_DELAY_SECONDS', limitTable.failedAuthDelayMs.value / 1_000, {
        min: 0,
        max: 60,
      }) * 1_000,
    trustedProxies: read.integer('ROOMWIRE_TRUSTED_PROXIES', 0, { min: 0, max: 32 }),
    webhookAllowPrivate: read.flag(
      'ROOMWIRE_WEBHOOK_ALLOW_PRIVATE',
      isEmbedded(engines) && isLoopbackHost(host),
    ),
    webhookAllowNetworks: read.networks('ROOMWIRE_WEBHOOK_ALLOW_NETWORKS'),
    webhookDenyNetworks: read.networks('ROOMWIRE_WEBHOOK_DENY_NETWORKS'),
    webhookBacklogCalls: read.integer(
      'ROOMWIRE_WEBHOOK_BACKLOG_CALLS',
      limitTable.webhookBacklogCalls.value,
      { min: 1, max: 10_000_000 },
    ),
    webhookBacklogBytes: mebibytes('ROOMWIRE_WEBHOOK_BACKLOG_MIB', limitTable.webhookBacklogBytes.value),
    webhookProxy: read.url('ROOMWIRE_WEBHOOK_PROXY', ['http:', 'https:']),
    deadLetters: read.integer('ROOMWIRE_DEAD_LETTERS', limitTable.deadLetters.value, {
      min: 0,
      max: 10_000_000,
    }),
    connectionRecord: read.flag('ROOMWIRE_CONNECTION_RECORD', true),
    connectionRecordMs:
      read.integer('ROOMWIRE_CONNECTION_RECORD_DAYS', limitTable.connectionRecordRetention.value, {
        min: 1,
        max: 90,
      }) * day,
    connectionRecordBytes: mebibytes(
      'ROOMWIRE_CONNECTION_RECORD_MIB',
      limitTable.connectionRecordBytes.value,
    ),
    payloadLimits: {
      retentionMs:
        read.integer('ROOMWIRE_PAYLOAD_DAYS', limitTable.payloadRetention.value, { min: 1, max: 3_650 }) *
        day,
      quotaBytes: mebibytes('ROOMWIRE_PAYLOAD_QUOTA_MIB', limitTable.payloadQuota.value),
    },
    analytics: read.flag('ROOMWIRE_ANALYTICS', false),
    analyticsDir: read.text('ROOMWIRE_ANALYTICS_DIR') ?? join(dataDir, 'analytics'),
    analyticsDays: read.integer('ROOMWIRE_ANALYTICS_DAYS', 365, { min: 0, max: 36_500 }),
    analyticsPayloads: read.flag('ROOMWIRE_ANALYTICS_PAYLOADS', false),
    logLevel: read.oneOf('ROOMWIRE_LOG_LEVEL', 'info', logLevels),
    tracing: readTracing(read, problems),
  };
  if (config.restRate > 0 && config.restBurst < 1)
    problems.push('ROOMWIRE_REST_BURST must be at least 1 while ROOMWIRE_REST_RATE is on');
  if (config.isOpsPortGiven && config.opsPort !== 0 && config.opsPort === config.port)
    problems.push('ROOMWIRE_OPS_PORT must be another port than ROOMWIRE_PORT');
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
};

const readOidc = (read: VariableReader, problems: string[]): Config['oidc'] => {
  const jwksUrl = read.url('ROOMWIRE_SESSION_JWKS_URL', ['https:', 'http:']);
  const issuer = read.text('ROOMWIRE_SESSION_ISSUER');
  const audience = read.text('ROOMWIRE_SESSION_AUDIENCE');
  const organizations = read.text('ROOMWIRE_SESSION_ORGS_CLAIM');
  const operator = read.text('ROOMWIRE_SESSION_OPERATOR_CLAIM');
  const roles = read.text('ROOMWIRE_SESSION_ROLES_CLAIM');
  const claims = {
    organizations: organizations ?? ownClaimNames.organizations,
    operator: operator ?? ownClaimNames.operator,
    roles: roles ?? ownClaimNames.roles,
  };
  if (new Set(Object.values(claims)).size < Object.keys(claims).length)
    problems.push('the claims of ROOMWIRE_SESSION_…_CLAIM must be different ones');
  if (jwksUrl === undefined) {
    if ([issuer, audience, organizations, operator, roles].some((given) => given !== undefined))
      problems.push(
        'ROOMWIRE_SESSION_ISSUER, ROOMWIRE_SESSION_AUDIENCE and the claims need ROOMWIRE_SESSION_JWKS_URL',
      );
    return undefined;
  }
  // Whoever can change the keys on their way makes sessions of operators.
  if (!isSecureAddress(new URL(jwksUrl)))
    problems.push('ROOMWIRE_SESSION_JWKS_URL must begin with https:// unless its host is a loopback address');
  // Without them every token that the issuer signs, for whatever application, would open a session.
  if (issuer === undefined || audience === undefined) {
    problems.push('ROOMWIRE_SESSION_JWKS_URL needs ROOMWIRE_SESSION_ISSUER and ROOMWIRE_SESSION_AUDIENCE');
    return undefined;
  }
  return { jwksUrl, issuer, audience, claims };
};
