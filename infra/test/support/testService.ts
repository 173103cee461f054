import { temporaryFolder } from '@roomwire/shared/testing/temporaryFolder';
import { readConfig, type Config } from '../../src/config/config.js';
import type { Credentials } from '../../src/standalone/firstStart.js';
import { startStandalone } from '../../src/standalone/standalone.js';
import { apiClient, type ApiClient } from './apiClient.js';
import { createRecordingLogger, type RecordedLine } from './recordingLogger.js';

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
  newProject(
    plan?: object,
  ): Promise<{ organizationId: string; projectId: string; apiKey: string; client: ApiClient }>;
  close(): Promise<void>;
}

/** The whole service on a folder and a port of its own. */
export const startTestService = async (overrides: Partial<Config> = {}): Promise<TestService> => {
  const folder = await temporaryFolder();
  const { logger, lines } = createRecordingLogger();
  const config = { ...readConfig({}), port: 0, dataDir: folder.path, restRate: 0, ...overrides };
  const service = await startStandalone(config, logger);
  const { baseUrl, firstCredentials } = service;
  if (firstCredentials === undefined) throw new Error('The folder was used before');
  const client = (credential: string | undefined) => apiClient(baseUrl, credential);
  const operator = client(firstCredentials.sessionToken);

  return {
    baseUrl,
    socketUrl: `${baseUrl.replace('http', 'ws')}/ws`,
    credentials: firstCredentials,
    project: client(firstCredentials.apiKey),
    operator,
    logLines: lines,
    client,
    async newProject(plan) {
      const { organizationId } = (await operator.post('/organizations', { name: 'Other', plan })).body;
      const { projectId } = (await operator.post(`/organizations/${organizationId}/projects`, { name: 'P' }))
        .body;
      const keys = `/organizations/${organizationId}/projects/${projectId}/api-keys`;
      const { apiKey } = (await operator.post(keys, { name: 'K' })).body;
      return { organizationId, projectId, apiKey, client: client(apiKey) };
    },
    async close() {
      await service.close();
      await folder.remove();
    },
  };
};
