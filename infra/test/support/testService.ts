import { randomUUID } from 'node:crypto';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import { isOnEngines, testBrokers, testMongodbUrl, testThreads } from '@roomwire/testing/run/testProfile';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { readConfig, type Config } from '../../src/config/config.js';
import type { Credentials } from '../../src/standalone/firstStart.js';
import { startStandalone, type Standalone } from '../../src/standalone/standalone.js';
import { apiClient, type ApiClient } from './apiClient.js';
import { eventStoreOfATest } from './cluster.js';
import { createRecordingLogger, type RecordedLine } from '@roomwire/testing/fakes/loggers';

export interface TestService {
  readonly baseUrl: string;
  readonly socketUrl: string;
  readonly credentials: Credentials;
  /** With the first project's key. */
  readonly project: ApiClient;
  /** With the operator's session. */
  readonly operator: ApiClient;
  readonly logLines: readonly RecordedLine[];
  client(credential: string | undefined): ApiClient;
  /** A project of its own, in an organization of its own. */
  newProject(plan?: object): Promise<TestProject>;
  /** Ends the service and starts it again on the same data; returns its new `socketUrl`. Earlier clients can no longer be used. */
  restart(): Promise<string>;
  close(): Promise<void>;
}

export interface TestProject {
  readonly organizationId: string;
  readonly projectId: string;
  readonly apiKeyId: string;
  readonly apiKey: string;
  readonly client: ApiClient;
}

const sessionSecret = new Uint8Array(32).fill(7);

interface TestEngines {
  readonly settings: Partial<Config>;
  close(): Promise<void>;
}

/** Those of a run on the distributed profile; none on the embedded one. */
const testEngines = async (): Promise<TestEngines> => {
  if (!isOnEngines()) return { settings: { gatewayThreads: testThreads() }, close: async () => undefined };
  const eventStore = await eventStoreOfATest();
  const { engines } = readConfig({
    ROOMWIRE_EVENTSTORE_URL: eventStore.url,
    ROOMWIRE_MONGODB_URL: testMongodbUrl(`test_${randomUUID().slice(0, 8)}`),
    ROOMWIRE_KAFKA_BROKERS: testBrokers().join(','),
  });
  // A new record begins with all that the topic has, of every test before: those about it ask for it.
  return { settings: { engines, connectionRecord: false }, close: eventStore.close };
};

/**
 * The whole service on a port of its own, on a folder of its own or on the engines of the run. `seed` writes a log that
 * the service finds when it starts.
 */
export const startTestService = async (
  overrides: Partial<Config> = {},
  seed?: (config: Config) => Promise<void>,
): Promise<TestService> => {
  const folder = await temporaryFolder();
  const engines = await testEngines();
  const { logger, lines } = createRecordingLogger();
  const secrets = { sessionSecret, masterKey: sessionSecret };
  const config = {
    ...readConfig({}),
    ...secrets,
    port: 0,
    opsPort: 0,
    dataDir: folder.path,
    restRate: 0,
    failedAuthDelayMs: 0,
    ...engines.settings,
    ...overrides,
  };
  await seed?.(config);
  let service = await startStandalone(config, logger).started;
  const { baseUrl } = service;
  const client = (credential: string | undefined) => apiClient(baseUrl, credential);
  const sessionToken = await mintSessionToken(
    config.sessionSecret ?? sessionSecret,
    { subject: 'operator', organizationIds: [], isOperator: true },
    3600,
    systemClock,
  );
  const operator = client(sessionToken);
  const newProject = (plan?: object) => createProject(operator, client, plan);
  const credentials = await firstCredentials(service, sessionToken, newProject);

  return {
    baseUrl,
    socketUrl: socketUrlOf(service),
    credentials,
    project: client(credentials.apiKey),
    operator,
    logLines: lines,
    client,
    newProject,
    async restart() {
      await service.close();
      service = await startStandalone(config, logger).started;
      return socketUrlOf(service);
    },
    async close() {
      await service.close();
      await engines.close();
      await folder.remove();
    },
  };
};

const socketUrlOf = ({ baseUrl }: Standalone): string => `${baseUrl.replace('http', 'ws')}/ws`;

/** Those of the first start on files; on engines the operator makes the like. */
const firstCredentials = async (
  { firstCredentials: made }: Standalone,
  sessionToken: string,
  newProject: () => Promise<TestProject>,
): Promise<Credentials> => {
  if (made !== undefined) return made;
  const { organizationId, projectId, apiKeyId, apiKey } = await newProject();
  return { organizationId, projectId, apiKeyId, apiKey, sessionToken };
};

const createProject = async (
  operator: ApiClient,
  client: (credential: string) => ApiClient,
  plan: object | undefined,
): Promise<TestProject> => {
  const { organizationId } = (await operator.post('/organizations', { name: 'Other', plan })).body;
  const { projectId } = (await operator.post(`/organizations/${organizationId}/projects`, { name: 'P' }))
    .body;
  const keys = `/organizations/${organizationId}/projects/${projectId}/api-keys`;
  const { apiKeyId, apiKey } = (await operator.post(keys, { name: 'K' })).body;
  return { organizationId, projectId, apiKeyId, apiKey, client: client(apiKey) };
};
