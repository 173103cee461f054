import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { Random } from '@roomwire/shared/ports/random';
import type { Tracing } from '@roomwire/shared/ports/tracing';
import { ConfigError, type Config } from '../config/config.js';
import type { MetricSource } from '../observability/gatherMetrics.js';
import type { Adapters } from '../process/adapters.js';
import type { ClosingStack } from '../process/closingStack.js';
import type { HttpFront } from '../process/httpFront.js';
import type { Secrets } from '../process/keptSecrets.js';

export const serviceNames = ['command-api', 'projections', 'gateway', 'webhook-consumer'] as const;
export type ServiceName = (typeof serviceNames)[number];

const variableOf = {
  eventStoreUrl: 'ROOMWIRE_EVENTSTORE_URL',
  mongodbUrl: 'ROOMWIRE_MONGODB_URL',
  kafkaBrokers: 'ROOMWIRE_KAFKA_BROKERS',
  masterKey: 'ROOMWIRE_MASTER_KEY',
  sessionSecret: 'ROOMWIRE_SESSION_SECRET',
} as const satisfies Partial<Record<keyof Config, string>>;

/** What a service needs of the configuration when it runs in a process of its own, on no files. */
const requiredSettings: { readonly [Name in ServiceName]: readonly (keyof typeof variableOf)[] } = {
  'command-api': ['eventStoreUrl', 'mongodbUrl', 'masterKey', 'sessionSecret'],
  projections: ['eventStoreUrl', 'mongodbUrl', 'kafkaBrokers'],
  gateway: ['mongodbUrl', 'kafkaBrokers', 'masterKey'],
  'webhook-consumer': ['mongodbUrl', 'kafkaBrokers', 'masterKey'],
};

/** Throws a `ConfigError` that names what is missing for a service in a process of its own. */
export const requireSettings = (name: ServiceName, config: Config): void => {
  const missing = requiredSettings[name].filter((setting) => config[setting] === undefined);
  if (missing.length > 0)
    throw new ConfigError(missing.map((setting) => `roomwire ${name} needs ${variableOf[setting]}`));
};

/** Without a file to keep them in, the secrets must be given. */
export const requireSecrets = (config: Config): void => {
  const missing = (['masterKey', 'sessionSecret'] as const).filter((name) => config[name] === undefined);
  if (!config.isEmbedded && missing.length > 0)
    throw new ConfigError(
      missing.map((name) => `${variableOf[name]} is required when every engine has a URL`),
    );
};

/** What a service is started with. */
export interface ServiceContext {
  /** All that run in this process. */
  readonly services: readonly ServiceName[];
  readonly config: Config;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
  readonly adapters: Adapters;
  readonly front: HttpFront;
  readonly closing: ClosingStack;
  /** What comes before anything is closed, while all services still run. */
  readonly draining: ClosingStack;
  readonly secrets: () => Promise<Secrets>;
  /** Shows something on the operations port. */
  readonly show: (source: MetricSource) => void;
  /** Undefined where nothing is traced. */
  readonly tracing: Tracing | undefined;
}

/** Starts a service; how it ends goes on the closing stack. Resolves when it serves. */
export type StartService = (surroundings: ServiceContext) => Promise<void>;
