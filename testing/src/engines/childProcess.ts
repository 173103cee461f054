import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';

export interface EngineCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** What it says on both of its outputs is added to this file. */
  readonly logFile: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface EngineProcess {
  readonly isRunning: boolean;
  /** Resolves when the process has ended. */
  kill(signal: NodeJS.Signals): Promise<void>;
  pause(): void;
  resume(): void;
}

/** An engine must not outlive the tests that started it, however they end. */
const living = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

export const startEngineProcess = async (engine: EngineCommand): Promise<EngineProcess> => {
  const { command, args, logFile, env = {} } = engine;
  const log = await open(logFile, 'a');
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', log.fd, log.fd],
  });
  try {
    await once(child, 'spawn');
  } finally {
    await log.close();
  }
  living.add(child);
  const gone = once(child, 'exit').then(() => void living.delete(child));
  return {
    get isRunning() {
      return living.has(child);
    },
    kill: async (signal) => {
      child.kill(signal);
      // A stopped process takes no other signal than SIGKILL.
      if (signal !== 'SIGKILL') child.kill('SIGCONT');
      await gone;
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  };
};

const betweenLooksMs = 50;

/** Resolves when the engine answers; rejects with the end of its log when it has ended or takes too long. */
export const whenReady = async (
  engine: EngineProcess,
  answers: () => Promise<boolean>,
  { withinMs, logFile }: { readonly withinMs: number; readonly logFile: string },
): Promise<void> => {
  const deadline = performance.now() + withinMs;
  while (!(await answers())) {
    if (!engine.isRunning) throw new Error(`The engine has ended:\n${await endOf(logFile)}`);
    if (performance.now() > deadline)
      throw new Error(`The engine is not ready after ${withinMs} ms:\n${await endOf(logFile)}`);
    await pause(betweenLooksMs);
  }
};

const endOf = async (logFile: string): Promise<string> =>
  (await readFile(logFile, 'utf8')).split('\n').slice(-40).join('\n');

/** Runs a command to its end; rejects with all that it said when it fails. */
export const runToEnd = async (command: string, args: readonly string[]): Promise<void> => {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const said: Buffer[] = [];
  child.stdout.on('data', (bytes: Buffer) => said.push(bytes));
  child.stderr.on('data', (bytes: Buffer) => said.push(bytes));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command} failed:\n${Buffer.concat(said).toString()}`);
};

/** Whether a program of this name can be run at all. */
export const isInstalled = async (command: string): Promise<boolean> => {
  const child = spawn(command, ['--version'], { stdio: 'ignore' });
  return once(child, 'close').then(
    () => true,
    () => false,
  );
};
