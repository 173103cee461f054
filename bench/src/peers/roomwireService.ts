import { Buffer } from 'node:buffer';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { mintSessionToken } from '@roomwire/shared/credentials/sessionToken';
import type { EngineAddresses } from '../engines/onEngines.js';
import { type Child, type ProgramOptions, readyLine } from '../process/children.js';
import { makeProject, startRoomwireProgram, type Credentials } from './roomwire.js';

export type ServiceName = 'command-api' | 'projections' | 'gateway' | 'webhook-consumer';

export interface RunningService {
  readonly port: number;
  readonly processId: number;
  readonly process: Child['process'];
  stop(): Promise<void>;
}

/** For both secrets: nothing here is worth protecting. */
const clusterSecret = Buffer.alloc(32, 9);

/** One service in a process of its own, on engines, ready. Rate limits and the idle time-out are off, unless `env` sets them. */
export const startService = async (
  name: ServiceName,
  { eventStoreUrl, mongodbUrl, brokers }: EngineAddresses,
  { env = {}, onLog }: Partial<Pick<ProgramOptions, 'env' | 'onLog'>> = {},
): Promise<RunningService> => {
  const child = startRoomwireProgram([name], {
    core: undefined,
    onLog,
    env: {
      ROOMWIRE_HOST: '127.0.0.1',
      ROOMWIRE_PORT: '0',
      ROOMWIRE_OPS_PORT: '0',
      ROOMWIRE_EVENTSTORE_URL: eventStoreUrl,
      ROOMWIRE_MONGODB_URL: mongodbUrl,
      ROOMWIRE_KAFKA_BROKERS: brokers,
      ROOMWIRE_MASTER_KEY: clusterSecret.toString('base64'),
      ROOMWIRE_SESSION_SECRET: clusterSecret.toString('base64'),
      ROOMWIRE_PUBLISH_RATE: '0',
      ROOMWIRE_REST_RATE: '0',
      ROOMWIRE_HTTP_PUBLISH_RATE: '0',
      ROOMWIRE_IDLE_TIMEOUT_SECONDS: '86400',
      ROOMWIRE_LOG_LEVEL: 'warn',
      ...env,
    },
  });
  const ready = readyLine(child, /is ready on http:\/\/127\.0\.0\.1:(\d+)/);
  const port = Number(
    await ready.catch((error: unknown) => child.stop().then(() => Promise.reject(error as Error))),
  );
  return { port, processId: child.processId, process: child.process, stop: () => child.stop() };
};

const session = { subject: 'operator', organizationIds: [], isOperator: true };

/** A new project and its key, made through a command-api as an operator does it. */
export const createProject = async (
  port: number,
): Promise<Pick<Credentials, 'organizationId' | 'projectId' | 'apiKey'>> => {
  const token = await mintSessionToken(clusterSecret, session, 3600, systemClock);
  return makeProject(port, token, 'Load');
};
