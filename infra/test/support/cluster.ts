import { randomUUID } from 'node:crypto';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { auditKeyOf } from '@roomwire/shared/credentials/auditKeys';
import { deriveKey } from '@roomwire/shared/credentials/secretBox';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import { eventually } from '@roomwire/testing/run/eventually';
import { startEventStore } from '@roomwire/testing/engines/eventStore';
import type { ServiceName } from '../../src/services/service.js';
import { apiClient, type ApiClient } from './apiClient.js';
import { runRoomwire, type Program } from './program.js';
import { testBrokers, testMongodb, withDatabase } from '@roomwire/testing/run/testProfile';

export interface Engines {
  readonly eventStoreUrl: string;
  readonly mongodbUrl: string;
  readonly kafkaBrokers: string;
}

/** One service in a separate process. */
export interface Member {
  readonly service: ServiceName;
  readonly program: Program;
  readonly baseUrl: string;
  readonly socketUrl: string;
}

export interface Cluster {
  /** The database of its read models. */
  readonly mongodbUrl: string;
  /** For commands: the settings of its processes, and every secret. */
  readonly environment: Readonly<Record<string, string>>;
  /** Starts one more process, of this release unless told, and resolves when it is ready. */
  add(
    service: ServiceName,
    environment?: Readonly<Record<string, string>>,
    command?: string,
  ): Promise<Member>;
  /** The operator's REST client on a command-api. */
  operator(member: Member): ApiClient;
  /** A project under a plan, with a REST client on each of the command-apis. */
  newProject(
    plan: object,
    ...members: readonly Member[]
  ): Promise<{ organizationId: string; projectId: string; apiKey: string; clients: ApiClient[] }>;
  stop(member: Member, signal?: NodeJS.Signals): Promise<void>;
  /** Ends every process that still runs. */
  close(): Promise<void>;
}

const secret = Buffer.alloc(32, 9);

const inBase64 = (key: Uint8Array): string => Buffer.from(key).toString('base64');

export type SecretsOfServices = Readonly<Record<ServiceName, Readonly<Record<string, string>>>>;

/** Each service has the secrets that it uses, and no others. */
const secretsOf: SecretsOfServices = {
  'command-api': { ROOMWIRE_MASTER_KEY: inBase64(secret), ROOMWIRE_SESSION_SECRET: inBase64(secret) },
  projections: { ROOMWIRE_AUDIT_KEY: inBase64(auditKeyOf(secret)) },
  gateway: { ROOMWIRE_GATEWAY_KEY: inBase64(deriveKey(secret, 'signingKeys')) },
  'webhook-consumer': { ROOMWIRE_WEBHOOK_KEY: inBase64(deriveKey(secret, 'webhookSecrets')) },
};

/** Every service has both secrets, from which it derives what it uses: as before there were keys for each of them. */
export const commonSecrets: SecretsOfServices = {
  'command-api': secretsOf['command-api'],
  projections: secretsOf['command-api'],
  gateway: secretsOf['command-api'],
  'webhook-consumer': secretsOf['command-api'],
};

/** The engines that the run configures, with a new event log where it configures none. */
export const enginesOfTheRun = async (): Promise<Engines & { close(): Promise<void> }> => {
  const given = { mongodbUrl: testMongodb(), kafkaBrokers: testBrokers().join(',') };
  const { url, close } = await eventStoreOfATest();
  return { ...given, eventStoreUrl: url, close };
};

/** The one that the environment names, or a stand-in for this test alone. */
export const eventStoreOfATest = async (): Promise<{ url: string; close: () => Promise<void> }> => {
  const given = process.env['ROOMWIRE_TEST_EVENTSTORE_URL'];
  if (given !== undefined) return { url: given, close: async () => undefined };
  const engine = await startEventStore();
  return { url: engine.url, close: () => engine.close() };
};

interface ClusterOptions {
  readonly secrets?: SecretsOfServices;
  /** Of all of its processes. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Processes on the engines, with read models of their own. */
export const startCluster = async (
  engines: Engines,
  { secrets = secretsOf, settings: overrides = {} }: ClusterOptions = {},
): Promise<Cluster> => {
  const members = new Set<Member>();
  const settings = {
    ROOMWIRE_EVENTSTORE_URL: engines.eventStoreUrl,
    ROOMWIRE_MONGODB_URL: withDatabase(engines.mongodbUrl, `cluster_${randomUUID().slice(0, 8)}`),
    ROOMWIRE_KAFKA_BROKERS: engines.kafkaBrokers,
    // A new record begins with all that the topic has, of every test before: those about it ask for it.
    ROOMWIRE_CONNECTION_RECORD: 'false',
    ROOMWIRE_REST_RATE: '0',
    ROOMWIRE_DRAIN_SECONDS: '0',
    ROOMWIRE_LOG_LEVEL: 'warn',
    ROOMWIRE_PORT: '0',
    ...overrides,
  };
  const sessionToken = await mintSessionToken(
    secret,
    { subject: 'operator', organizationIds: [], isOperator: true },
    3600,
    systemClock,
  );
  const operator = ({ baseUrl }: Member): ApiClient => apiClient(baseUrl, sessionToken);

  const stop = async (member: Member, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    members.delete(member);
    member.program.process.kill(signal);
    await member.program.ended;
  };

  return {
    mongodbUrl: settings.ROOMWIRE_MONGODB_URL,
    environment: { ...settings, ...secrets['command-api'] },
    operator,
    stop,

    async add(service, environment = {}, command?: string) {
      const settingsOfAll = { ...settings, ...secrets[service], ...environment };
      const program = runRoomwire([service], settingsOfAll, command);
      const [, baseUrl = ''] = await program.printed(/is ready on (http:\S+)\s/);
      const member = { service, program, baseUrl, socketUrl: `${baseUrl.replace('http', 'ws')}/ws` };
      members.add(member);
      return member;
    },

    async newProject(plan, first, ...others) {
      if (first === undefined) throw new TypeError('A project is made by a command-api');
      const { organizationId } = (await operator(first).post('/organizations', { name: 'O', plan })).body;
      const projects = `/organizations/${organizationId}/projects`;
      const { projectId } = (await operator(first).post(projects, { name: 'P' })).body;
      const { apiKey } = (await operator(first).post(`${projects}/${projectId}/api-keys`, { name: 'K' }))
        .body;
      const clients = [first, ...others].map(({ baseUrl }) => apiClient(baseUrl, apiKey));
      // On a busy machine the answer may come before the read models show the key.
      for (const client of clients)
        await eventually(async () => (await client.get('/apps')).status === 200, {
          ...{ withinMs: 30_000, what: 'a new API key' },
        });
      return { organizationId, projectId, apiKey, clients };
    },

    async close() {
      await Promise.all([...members].map((member) => stop(member, 'SIGKILL')));
    },
  };
};
