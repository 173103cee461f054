import type { ActivitySink } from '@roomwire/shared/activity/activity';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { EventLog } from '@roomwire/shared/ports/eventLog';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { History } from '@roomwire/shared/ports/history';
import type { JobGroups } from '@roomwire/shared/ports/jobGroups';
import type { LiveState } from '@roomwire/shared/ports/liveState';
import type { LiveConnections } from '@roomwire/shared/ports/liveConnections';
import type { Publishing } from '@roomwire/shared/ports/publishing';
import type { Random } from '@roomwire/shared/ports/random';
import type { Tracing } from '@roomwire/shared/ports/tracing';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import { ConfigError, type Config } from '../config/config.js';
import { usesDataFolder, variablesFor, type EnginePort } from '../engines/engines.js';
import type { MetricSource } from '../observability/gatherMetrics.js';
import type { Adapters } from '../engines/adapters.js';
import type { ClosingStack } from '@roomwire/shared/runtime/closingStack';
import type { HttpFront } from './httpFront.js';
import type { Secrets } from '../secrets/keptSecrets.js';

export const serviceNames = ['command-api', 'projections', 'gateway', 'webhook-consumer'] as const;
export type ServiceName = (typeof serviceNames)[number];

const secretVariables = {
  masterKey: 'ROOMWIRE_MASTER_KEY',
  gatewayKey: 'ROOMWIRE_GATEWAY_KEY',
  webhookKey: 'ROOMWIRE_WEBHOOK_KEY',
  sessionSecret: 'ROOMWIRE_SESSION_SECRET',
  auditKey: 'ROOMWIRE_AUDIT_KEY',
} as const satisfies Partial<Record<keyof Config, string>>;

type SecretName = keyof typeof secretVariables;

/** What a service needs of the configuration when it runs in a process of its own, without files. */
const needs: {
  readonly [Name in ServiceName]: {
    readonly engines: readonly EnginePort[];
    /** Of several in one place, one is enough: the first is the one with the fewest rights. */
    readonly secrets: readonly (readonly SecretName[])[];
  };
} = {
  'command-api': { engines: ['eventLog', 'readModels'], secrets: [['masterKey'], ['sessionSecret']] },
  projections: { engines: ['eventLog', 'readModels', 'bus'], secrets: [['auditKey', 'masterKey']] },
  gateway: { engines: ['readModels', 'bus'], secrets: [['gatewayKey', 'masterKey']] },
  'webhook-consumer': { engines: ['readModels', 'bus'], secrets: [['webhookKey', 'masterKey']] },
};

/** Throws a `ConfigError` that names what is missing for a service in a process of its own. */
export const requireSettings = (name: ServiceName, config: Config): void => {
  const { engines, secrets } = needs[name];
  const missing = [
    ...engines.filter((port) => config.engines[port].onFiles).map(variablesFor),
    ...missingSecrets(config, secrets),
  ];
  if (missing.length > 0)
    throw new ConfigError(missing.map((variable) => `roomwire ${name} needs ${variable}`));
};

/** Without a file to keep them in, the secrets must be configured. */
export const requireSecrets = (config: Config): void => {
  const missing = missingSecrets(config, [['masterKey'], ['sessionSecret']]);
  if (!usesDataFolder(config.engines) && missing.length > 0)
    throw new ConfigError(missing.map((variable) => `${variable} is required when every engine has a URL`));
};

const missingSecrets = (config: Config, needed: readonly (readonly SecretName[])[]): readonly string[] =>
  needed
    .filter((alternatives) => alternatives.every((name) => config[name] === undefined))
    .map((alternatives) => alternatives.map((name) => secretVariables[name]).join(' or '));

/** What a service is started with. */
export interface ServiceContext {
  /** All that run in this process. */
  readonly services: readonly ServiceName[];
  readonly config: Config;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
  readonly adapters: Adapters;
  /** What is appended to it is proven. */
  readonly log: () => Promise<EventLog>;
  readonly front: HttpFront;
  /** Each tells why a service cannot do its work, if so: the process is not ready then. */
  readonly hindrances: (() => string | undefined)[];
  readonly closing: ClosingStack;
  /** Runs before anything is closed, while all services still run. */
  readonly draining: ClosingStack;
  readonly secrets: () => Promise<Secrets>;
  /** Adds a source of metrics to the operations port. */
  readonly show: (source: MetricSource) => void;
  /** Undefined where nothing is traced. */
  readonly tracing: Tracing | undefined;
  readonly limits: LimitReports;
  /** Counts what happens in projects, for all services of the process. */
  readonly activity: () => Promise<ActivitySink>;
  /** What the REST API does with the bus and with gateways, once a service of this process has it. */
  readonly backends: {
    publishing: Publishing | undefined;
    history: History | undefined;
    liveState: LiveState | undefined;
    liveConnections: LiveConnections | undefined;
    jobGroups: JobGroups | undefined;
  };
}

/** Starts a service; how it ends goes on the closing stack. Resolves when it serves. */
export type StartService = (surroundings: ServiceContext) => Promise<void>;
