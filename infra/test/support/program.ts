import { spawn, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Credentials } from '../../src/standalone/firstStart.js';
import { isOnEngines } from '@roomwire/testing/run/testProfile';
import { apiClient, type ApiClient } from './apiClient.js';

const ofBuild = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** The command of this release; on engines the bundle, which their tests make before they begin. */
export const roomwire = ofBuild(isOnEngines() ? 'dist/program/main.js' : 'bin/roomwire.js');

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A `roomwire` command in a separate process. */
export interface Program {
  readonly process: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<Ended>;
  /** Resolves with the output so far once it matches; rejects when the process ends without. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
}

export const runRoomwire = (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  command = roomwire,
  input = '',
): Program => {
  const flags = ['--disable-proto=delete', '--v8-pool-size=0', '--max-semi-space-size=8'];
  return runFile(process.execPath, [...flags, command, ...args], environment, input);
};

/** Any executable file that is a `roomwire` command. */
export const runFile = (
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input = '',
): Program => {
  const child = spawn(file, args, {
    // The machine has one port of the metrics, unless a test sets its own.
    env: {
      ...{ PATH: process.env['PATH'], ROOMWIRE_OPS_PORT: '0' },
      // Whoever runs the tests may have logged in.
      XDG_CONFIG_HOME: '/nonexistent',
      ...environment,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // Most commands end without reading it.
  child.stdin.on('error', () => undefined).end(input);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );

  const printed = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(stdout) ?? pattern.exec(stderr);
        if (match) resolve(match);
      };
      child.stdout.on('data', look);
      child.stderr.on('data', look);
      void ended.then(({ code, signal }) => {
        look();
        reject(new Error(`Ended (${code ?? signal}) without ${pattern}:\n${stdout}\n${stderr}`));
      });
      look();
    });

  return { process: child, stdout: () => stdout, stderr: () => stderr, ended, printed };
};

export interface RunningService {
  readonly program: Program;
  readonly dataDir: string;
  readonly baseUrl: string;
  readonly socketUrl: string;
  readonly credentials: Credentials;
  readonly project: ApiClient;
}

/** `roomwire start` on a folder, on a free port, ready. */
export const startProgram = async (
  dataDir: string,
  environment: Readonly<Record<string, string>> = {},
  run: typeof runRoomwire = runRoomwire,
): Promise<RunningService> => {
  const program = run(['start'], { ROOMWIRE_DATA_DIR: dataDir, ROOMWIRE_PORT: '0', ...environment });
  const [, baseUrl = ''] = await program.printed(/Roomwire is ready on (http:\S+?);?\s/);
  const credentials = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8')) as Credentials;
  return {
    program,
    dataDir,
    baseUrl,
    socketUrl: `${baseUrl.replace('http', 'ws')}/ws`,
    credentials,
    project: apiClient(baseUrl, credentials.apiKey),
  };
};

export const stop = async (
  { program }: RunningService,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<Ended> => {
  program.process.kill(signal);
  return program.ended;
};
