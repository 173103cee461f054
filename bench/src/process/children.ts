import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { onCore } from './cores.js';

const graceMs = 8_000;

export interface Child {
  readonly process: ChildProcess;
  readonly processId: number;
  /** Asks by SIGTERM, then insists. Resolves when the process is gone. */
  stop(): Promise<void>;
}

interface ProgramOptions {
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
