import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProgram, type Child } from '../process/children.js';
import { readyLine } from '../process/readyLine.js';

const program = fileURLToPath(new URL('../../../../infra/bin/roomwire.js', import.meta.url));

export interface Credentials {
  readonly organizationId: string;
  readonly projectId: string;
  readonly apiKey: string;
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
): Promise<RunningRoomwire> => {
  const child = launchRoomwire(dataFolder, core, 0, env);
  const port = Number(await readyLine(child, /Roomwire is ready on http:\/\/127\.0\.0\.1:(\d+)/));
  const credentials = await readCredentials(dataFolder);
  return { port, processId: child.processId, credentials, stop: () => child.stop() };
};

/** Started, but not yet ready. Rates are off, and nobody is idle, unless `env` says so: the load is what is measured. */
export const launchRoomwire = (
  dataFolder: string,
  core: number | undefined,
  port: number,
  env: Readonly<Record<string, string>> = {},
  onLog?: (text: string) => void,
): Child =>
  startProgram(program, ['start'], {
    core,
    onLog,
    env: {
      ROOMWIRE_HOST: '127.0.0.1',
      ROOMWIRE_PORT: String(port),
      ROOMWIRE_OPS_PORT: '0',
      ROOMWIRE_DATA_DIR: dataFolder,
      ROOMWIRE_PUBLISH_RATE: '0',
      ROOMWIRE_REST_RATE: '0',
      ROOMWIRE_IDLE_TIMEOUT_SECONDS: '86400',
      ROOMWIRE_LOG_LEVEL: 'warn',
      ...env,
    },
  });

export const readCredentials = async (dataFolder: string): Promise<Credentials> =>
  JSON.parse(await readFile(join(dataFolder, 'credentials.json'), 'utf8')) as Credentials;
