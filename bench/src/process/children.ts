import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { get } from 'node:http';
import { onCore } from './cores.js';

const graceMs = 8_000;

export interface Child {
  readonly process: ChildProcess;
  readonly processId: number;
  /** Asks by SIGTERM, then insists. Resolves when the process is gone. */
  stop(): Promise<void>;
}

export interface ProgramOptions {
  readonly core: number | undefined;
  readonly env?: Readonly<Record<string, string>>;
  /** Takes its standard error, which is shown otherwise. */
  readonly onLog?: ((text: string) => void) | undefined;
}

const living = new Set<ChildProcess>();

/** A Node program. Its standard output is piped, for the line that says it is ready; its complaints are shown. */
export const startProgram = (script: string, args: readonly string[], options: ProgramOptions): Child =>
  startCommand(process.execPath, [script, ...args], options);

/** Any program, treated in the same way. */
export const startCommand = (
  program: string,
  args: readonly string[],
  { core, env = {}, onLog }: ProgramOptions,
): Child => {
  const { command, prefix } = onCore(program, core);
  const child = spawn(command, [...prefix, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', onLog === undefined ? 'inherit' : 'pipe'],
  });
  if (onLog) child.stderr?.setEncoding('utf8').on('data', onLog);
  return watch(child);
};

/** A module of this package as a process of its own, with a message channel. */
export const startModule = (module: URL, core: number | undefined): Child => {
  const { command, prefix } = onCore(process.execPath, core);
  const child = fork(module, {
    execPath: command,
    execArgv: [...prefix],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return watch(child);
};

const watch = (child: ChildProcess): Child => {
  living.add(child);
  child.once('exit', () => living.delete(child));
  child.once('error', () => living.delete(child));
  return {
    process: child,
    processId: child.pid ?? Number.NaN,
    stop: () => stop(child),
  };
};

const stop = async (child: ChildProcess): Promise<void> => {
  if (!living.has(child)) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const insisting = new AbortController();
  void wait(graceMs, undefined, { signal: insisting.signal }).then(
    () => child.kill('SIGKILL'),
    () => undefined,
  );
  await gone;
  insisting.abort();
};

/** For the way out of this process, where nothing can be waited for any more. */
export const killChildren = (): void => {
  for (const child of living) child.kill('SIGKILL');
};

export const stopChildren = async (): Promise<void> => {
  await Promise.all([...living].map(stop));
};

const startsWithinMs = 60_000;

/** What the first group of `pattern` matches in the standard output of a child, as soon as it is there. */
export const readyLine = (child: Child, pattern: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let output = '';
    const fail = (reason: string) => (): void => {
      clearTimeout(timer);
      reject(new Error(`${reason}: ${child.process.spawnargs.join(' ')}`));
    };
    const timer = setTimeout(fail('Not ready in time'), startsWithinMs);
    child.process.once('error', fail('Could not be started'));
    child.process.once('exit', fail('Ended before it was ready'));
    child.process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const found = pattern.exec(output)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    });
  });

const lookEveryMs = 5;
const patienceMs = 120_000;

/** Milliseconds from `startedAt` until `/readyz` answers 200, to within the 5 ms between two looks. */
export const whenReady = async (child: Child, port: number, startedAt: number): Promise<number> => {
  while (!(await isReady(port))) {
    if (child.process.exitCode !== null) throw new Error('Ended before it was ready');
    if (performance.now() - startedAt > patienceMs) throw new Error('Not ready in time');
    await wait(lookEveryMs);
  }
  return performance.now() - startedAt;
};

const isReady = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const asking = get(
      { host: '127.0.0.1', port, path: '/readyz', headers: { connection: 'close' } },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    // There is no listener yet.
    asking.once('error', () => resolve(false));
  });

/** Makes a Node program collect its garbage when it gets SIGUSR2. */
export const collecting: Readonly<Record<string, string>> = {
  NODE_OPTIONS: `--import=${new URL('./collectOnSignal.js', import.meta.url).href}`,
};

export interface Stoppable {
  stop(): Promise<void>;
}

/** What a scenario has started, so that it is ended whatever happens. */
export class Started {
  private readonly running: Stoppable[] = [];

  add<T extends Stoppable>(running: T): T {
    this.running.push(running);
    return running;
  }

  async stop(): Promise<void> {
    await Promise.all(this.running.splice(0).map((running) => running.stop()));
  }
}

/** Gives `work` something to keep what it starts, and ends all of that afterwards. */
export const withStarted = async <T>(work: (started: Started) => Promise<T>): Promise<T> => {
  const started = new Started();
  try {
    return await work(started);
  } finally {
    await started.stop();
  }
};
