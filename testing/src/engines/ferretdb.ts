import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngineProcess, whenReady, type EngineProcess } from './childProcess.js';
import { ferretDbProgram } from './ferretDbBuild.js';
import { freePort } from '../run/freePort.js';

export interface MongoOptions {
  readonly port?: number;
  /** Kept when the engine is closed; without it, the files are in a temporary folder that is removed. */
  readonly dataDir?: string;
}

export interface MongoEngine {
  /** For `ROOMWIRE_MONGODB_URL`. */
  readonly url: string;
  /** Resolves when the process has ended. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** The server stays connected and answers nothing. */
  pause(): void;
  resume(): void;
  /** On the same port and the same files. */
  restart(): Promise<void>;
  readonly close: () => Promise<void>;
}

const startsWithinMs = 30_000;

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });

/** FerretDB, which speaks MongoDB's protocol, on SQLite files, as a process of its own. */
export const startFerretDb = async (options: MongoOptions = {}): Promise<MongoEngine> => {
  const program = await ferretDbProgram();
  const folder = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'roomwire-ferretdb-')));
  const data = join(folder, 'data');
  await mkdir(data, { recursive: true });
  const port = options.port ?? (await freePort());
  const logFile = join(folder, 'ferretdb.log');

  const run = async (): Promise<EngineProcess> => {
    const args = ['-listen', `127.0.0.1:${port}`, '-data', data];
    const server = await startEngineProcess({ command: program, args, logFile });
    await whenReady(server, () => listens(port), { withinMs: startsWithinMs, logFile });
    return server;
  };
  let server = await run();
  return {
    url: `mongodb://127.0.0.1:${port}/`,
    kill: (signal) => server.kill(signal),
    pause: () => server.pause(),
    resume: () => server.resume(),
    restart: async () => {
      if (server.isRunning) await server.kill('SIGKILL');
      server = await run();
    },
    close: async () => {
      if (server.isRunning) await server.kill('SIGTERM');
      if (!options.dataDir) await rm(folder, { recursive: true, force: true });
    },
  };
};
