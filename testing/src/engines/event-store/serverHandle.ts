import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { ControlAnswer, ControlRequest, EventStoreControl } from './control.js';

const script = fileURLToPath(new URL('./serverProcess.js', import.meta.url));

/** A server must not outlive the tests that started it; a suspended one does not notice their end. */
const living = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/** The running process. */
export interface ServerHandle {
  readonly port: number;
  readonly isRunning: boolean;
  /** Resolves when the process has ended. */
  kill(signal: NodeJS.Signals): Promise<void>;
  pause(): void;
  resume(): void;
  ask<Command extends keyof EventStoreControl>(
    command: Command,
    argument?: number,
  ): ReturnType<EventStoreControl[Command]>;
}

export const runServer = async (port: number, dataDir: string): Promise<ServerHandle> => {
  const child = fork(script, [String(port), dataDir], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  living.add(child);
  const gone = once(child, 'exit').then(() => void living.delete(child));
  const ready = once(child, 'message') as Promise<[{ port: number }]>;
  const started = await Promise.race([ready, gone]);
  if (started === undefined) throw new Error(`The event store has ended with ${child.exitCode}`);
  const [{ port: bound }] = started;
  return {
    port: bound,
    get isRunning() {
      return living.has(child);
    },
    kill: async (signal) => {
      child.kill(signal);
      if (signal !== 'SIGKILL') child.kill('SIGCONT'); // A stopped process takes no other signal.
      await gone;
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    ask: createAsk(child),
  };
};

const createAsk = (child: ChildProcess): ServerHandle['ask'] => {
  let lastId = 0;
  const waiting = new Map<number, (result: unknown) => void>();
  child.on('message', ({ id, result }: ControlAnswer) => {
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  const ask = (command: ControlRequest['command'], argument = 0): Promise<unknown> =>
    new Promise((resolve) => {
      lastId += 1;
      waiting.set(lastId, resolve);
      const request: ControlRequest = { id: lastId, command, argument };
      child.send(request);
    });
  return ask as ServerHandle['ask'];
};
