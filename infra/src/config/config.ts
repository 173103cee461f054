import type { KafkaSecurity } from '@roomwire/shared/adapters/message-bus/kafka/kafkaSecurity';
import { readKafkaSecurity } from './kafkaSettings.js';
import { readTracing, type TracingSettings } from './tracingSettings.js';
import { createVariableReader, type Environment } from './variables.js';

export const logLevels = ['error', 'warn', 'info', 'debug'] as const;

export interface Config {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** For the metrics; 0 is off. */
  readonly opsPort: number;
  /** Whether somebody has asked for that port: then the service does not start without it. */
  readonly isOpsPortGiven: boolean;
  readonly dataDir: string;
  readonly eventStoreUrl: string | undefined;
  readonly mongodbUrl: string | undefined;
  /** `host:port` each. */
  readonly kafkaBrokers: readonly string[] | undefined;
  readonly kafkaSecurity: KafkaSecurity;
  /** Whether any port is on files, so that this process needs the data folder for itself. */
  readonly isEmbedded: boolean;
  readonly masterKey: Uint8Array | undefined;
  /** Master keys that may still open what they have sealed. */
  readonly previousMasterKeys: readonly Uint8Array[];
  readonly sessionSecret: Uint8Array | undefined;
  readonly oidc:
    { readonly jwksUrl: string; readonly issuer?: string; readonly audience?: string } | undefined;
  readonly messageRecording: boolean;
  readonly revalidationMs: number;
  readonly idleTimeoutMs: number;
  /** Publishes a second and connection; 0 is off. */
  readonly publishRate: number;
  /** Requests a second of an API key or a session subject, and how many at once; a rate of 0 is off. */
  readonly restRate: number;
  readonly restBurst: number;
  /** Whose pages may call the REST API from a browser; undefined: nobody's. */
  readonly corsOrigins: readonly string[] | '*' | undefined;
  /** Whose pages may open WebSockets; undefined: anybody's. */
  readonly wsOrigins: readonly string[] | '*' | undefined;
  readonly webhookAllowPrivate: boolean;
  readonly logLevel: (typeof logLevels)[number];
  /** Undefined: nothing is traced. */
  readonly tracing: TracingSettings | undefined;
}

/** Everything that is wrong with the configuration, in one line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(problems: readonly string[]) {
    super(`Bad configuration: ${problems.join('; ')}`);
  }
}

/** The settings of the environment. Throws one `ConfigError` that names every problem. */
export const readConfig = (environment: Environment): Config => {
  const problems: string[] = [];
  const read = createVariableReader(environment, problems);
  const seconds = (name: string, fallback: number) =>
    read.integer(name, fallback, { min: 1, max: 86_400 }) * 1000;
  const port = { min: 0, max: 65_535 };
  const rate = { min: 0, max: 1_000_000 };

  const engines = readEngines(read, problems);
  const config: Config = {
    host: read.text('ROOMWIRE_HOST') ?? '127.0.0.1',
    port: read.integer('ROOMWIRE_PORT', 8080, port),
    opsPort: read.integer('ROOMWIRE_OPS_PORT', 9090, port),
    isOpsPortGiven: read.text('ROOMWIRE_OPS_PORT') !== undefined,
    dataDir: read.text('ROOMWIRE_DATA_DIR') ?? './data',
    ...engines,
    kafkaSecurity: readKafkaSecurity(read, problems),
    masterKey: read.key('ROOMWIRE_MASTER_KEY'),
    previousMasterKeys: read.keys('ROOMWIRE_MASTER_KEY_PREVIOUS'),
    sessionSecret: read.key('ROOMWIRE_SESSION_SECRET'),
    oidc: readOidc(read, problems),
    messageRecording: read.flag('ROOMWIRE_MESSAGE_RECORDING', false),
    revalidationMs: seconds('ROOMWIRE_REVALIDATION_SECONDS', 600),
    idleTimeoutMs: seconds('ROOMWIRE_IDLE_TIMEOUT_SECONDS', 60),
    publishRate: read.integer('ROOMWIRE_PUBLISH_RATE', 50, rate),
    restRate: read.integer('ROOMWIRE_REST_RATE', 100, rate),
    restBurst: read.integer('ROOMWIRE_REST_BURST', 200, rate),
    corsOrigins: read.origins('ROOMWIRE_CORS_ORIGINS'),
    wsOrigins: read.origins('ROOMWIRE_WS_ORIGINS'),
    webhookAllowPrivate: read.flag('ROOMWIRE_WEBHOOK_ALLOW_PRIVATE', engines.kafkaBrokers === undefined),
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

/** A URL decides for each port alone, so that files and engines may be mixed. */
const readEngines = (read: ReturnType<typeof createVariableReader>, problems: string[]) => {
  const eventStoreUrl = read.engineUrl('ROOMWIRE_EVENTSTORE_URL', ['esdb:', 'esdb+discover:']);
  const mongodbUrl = read.engineUrl('ROOMWIRE_MONGODB_URL', ['mongodb:', 'mongodb+srv:']);
  const brokers = read
    .text('ROOMWIRE_KAFKA_BROKERS')
    ?.split(',')
    .map((broker) => broker.trim());
  const areBrokers =
    brokers?.every((broker) => /^[^\s:/]+:\d{1,5}$|^\[[\da-f:]+\]:\d{1,5}$/i.test(broker)) ?? true;
  if (!areBrokers)
    problems.push('ROOMWIRE_KAFKA_BROKERS must be host:port, several with commas between them');
  const isEmbedded = [eventStoreUrl, mongodbUrl, brokers].includes(undefined);
  return { eventStoreUrl, mongodbUrl, kafkaBrokers: brokers, isEmbedded };
};

const readOidc = (read: ReturnType<typeof createVariableReader>, problems: string[]): Config['oidc'] => {
  const jwksUrl = read.url('ROOMWIRE_SESSION_JWKS_URL', ['https:', 'http:']);
  const issuer = read.text('ROOMWIRE_SESSION_ISSUER');
  const audience = read.text('ROOMWIRE_SESSION_AUDIENCE');
  if (jwksUrl !== undefined)
    return {
      jwksUrl,
      ...(issuer === undefined ? {} : { issuer }),
      ...(audience === undefined ? {} : { audience }),
    };
  if (issuer !== undefined || audience !== undefined)
    problems.push('ROOMWIRE_SESSION_ISSUER and ROOMWIRE_SESSION_AUDIENCE need ROOMWIRE_SESSION_JWKS_URL');
  return undefined;
};
