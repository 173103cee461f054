import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, type ProgramOptions, readyLine, startCommand } from '../process/children.js';

const thisCheckout = fileURLToPath(new URL('../../../../', import.meta.url));

/** Those of `npm start`. */
const nodeOptions = ['--disable-proto=delete', '--v8-pool-size=0', '--max-semi-space-size=8'];

export const startRoomwireProgram = (
  args: readonly string[],
  options: ProgramOptions,
  checkout = thisCheckout,
): Child =>
  startCommand(process.execPath, [...nodeOptions, join(checkout, 'infra/bin/roomwire.js'), ...args], options);

export interface Credentials {
  readonly organizationId: string;
  readonly projectId: string;
  readonly apiKey: string;
  /** Of an operator, who is a member of the organization. */
  readonly sessionToken: string;
}

export interface RunningRoomwire {
  readonly port: number;
  readonly processId: number;
  readonly credentials: Credentials;
  stop(): Promise<void>;
}

/** The standalone program on the files of a folder, ready to serve. */
export const startRoomwire = async (
  dataFolder: string,
  core: number | undefined,
  env: Readonly<Record<string, string>> = {},
  checkout = thisCheckout,
): Promise<RunningRoomwire> => {
  const child = launchRoomwire(dataFolder, core, 0, { env, checkout });
  const port = Number(await readyLine(child, /Roomwire is ready on http:\/\/127\.0\.0\.1:(\d+)/));
  const credentials = await readCredentials(dataFolder);
  return { port, processId: child.processId, credentials, stop: () => child.stop() };
};

interface LaunchOptions extends Partial<Pick<ProgramOptions, 'env' | 'onLog'>> {
  /** Where the program is, built; this one unless it is given. */
  readonly checkout?: string;
}

/** Started, but not yet ready. Rate limits and the idle time-out are off, unless `env` sets them: the load is what is measured. */
export const launchRoomwire = (
  dataFolder: string,
  core: number | undefined,
  port: number,
  { env = {}, onLog, checkout }: LaunchOptions = {},
): Child =>
  startRoomwireProgram(
    ['start'],
    {
      core,
      onLog,
      env: {
        ROOMWIRE_HOST: '127.0.0.1',
        ROOMWIRE_PORT: String(port),
        ROOMWIRE_OPS_PORT: '0',
        ROOMWIRE_DATA_DIR: dataFolder,
        ROOMWIRE_PUBLISH_RATE: '0',
        ROOMWIRE_REST_RATE: '0',
        ROOMWIRE_HTTP_PUBLISH_RATE: '0',
        ROOMWIRE_IDLE_TIMEOUT_SECONDS: '86400',
        ROOMWIRE_LOG_LEVEL: 'warn',
        ...env,
      },
    },
    checkout,
  );

export const readCredentials = async (dataFolder: string): Promise<Credentials> =>
  JSON.parse(await readFile(join(dataFolder, 'credentials.json'), 'utf8')) as Credentials;

/** Makes what a load needs, through REST. */
interface RoomwireApi {
  createApp(
    topic: string,
    fields?: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly appId: string; readonly slug: string }>;
  createRoom(appId: string, slug: string): Promise<void>;
  /** The access token of each. */
  createActors(count: number, actorType?: string): Promise<readonly string[]>;
}

interface Reachable {
  readonly port: number;
  readonly credentials: Pick<Credentials, 'apiKey'>;
}

const successOf = { POST: 201, PATCH: 200 } as const;

/** Sends requests with one credential. Rejects where an answer is not the usual success. */
export const restSender =
  (port: number, credential: string) =>
  async <T>(method: keyof typeof successOf, path: string, body: unknown): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status !== successOf[method])
      throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
    return JSON.parse(text) as T;
  };

/** An organization with a project and its API key, made as an operator does it. */
export const makeProject = async (
  port: number,
  sessionToken: string,
  name: string,
): Promise<Pick<Credentials, 'organizationId' | 'projectId' | 'apiKey'>> => {
  const send = restSender(port, sessionToken);
  const post = <T>(path: string): Promise<T> => send<T>('POST', path, { name });
  const { organizationId } = await post<{ organizationId: string }>('/organizations');
  const projects = `/organizations/${organizationId}/projects`;
  const { projectId } = await post<{ projectId: string }>(projects);
  const { apiKey } = await post<{ apiKey: string }>(`${projects}/${projectId}/api-keys`);
  return { organizationId, projectId, apiKey };
};

const requestsAtOnce = 16;

export const roomwireApi = ({ port, credentials }: Reachable): RoomwireApi => {
  const send = restSender(port, credentials.apiKey);
  const post = <T>(path: string, body: unknown): Promise<T> => send<T>('POST', path, body);
  const createActor = async (actorType: string): Promise<string> =>
    (await post<{ accessToken: string }>('/actors', { name: 'Actor', actorType })).accessToken;

  return {
    createApp: (topic, fields = {}) => post('/apps', { name: 'Load', topics: [topic], ...fields }),
    createRoom: (appId, slug) => post(`/apps/${appId}/rooms`, { name: slug, slug }),
    async createActors(count, actorType = 'device') {
      const tokens: string[] = [];
      while (tokens.length < count) {
        const types = Array.from(
          { length: Math.min(requestsAtOnce, count - tokens.length) },
          () => actorType,
        );
        tokens.push(...(await Promise.all(types.map(createActor))));
      }
      return tokens;
    },
  };
};
