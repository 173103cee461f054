import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const roomwire = fileURLToPath(new URL('../../../../../infra/bin/roomwire.js', import.meta.url));

/** Those of `npm start`. */
const nodeOptions = ['--disable-proto=delete', '--v8-pool-size=0', '--max-semi-space-size=8'];

export type Environment = Readonly<Record<string, string>>;

/** What every service of a run is given. */
const settingsOfAll: Environment = {
  ROOMWIRE_PORT: '0',
  ROOMWIRE_OPS_PORT: '0',
  ROOMWIRE_REST_RATE: '0',
  ROOMWIRE_FAILED_AUTH_DELAY_SECONDS: '0',
  ROOMWIRE_DRAIN_SECONDS: '0',
  ROOMWIRE_WEBHOOK_ALLOW_PRIVATE: 'true',
  ROOMWIRE_LOG_LEVEL: 'warn',
};

/** Programs must not outlive the run, however it ends. */
const living = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/** A `roomwire` command that serves, on a port that it may change when it starts again. */
export class Program {
  port = 0;
  private readonly args: readonly string[];
  private readonly environment: Environment;
  private child: ChildProcess | undefined;

  constructor(args: readonly string[], environment: Environment) {
    this.args = args;
    this.environment = environment;
  }

  /** Resolves when it is ready; rejects with all that it said when it ends before. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [...nodeOptions, roomwire, ...this.args], {
      env: { PATH: process.env['PATH'], ...settingsOfAll, ...this.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    living.add(child);
    child.once('exit', () => living.delete(child));
    this.child = child;
    this.port = await readyPort(child);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const { child } = this;
    if (child === undefined || !living.has(child)) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  /** It stands still, and its connections stay. */
  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }
}

const readyPort = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    let said = '';
    const look = (chunk: Buffer): void => {
      said += chunk.toString();
      const [, port] = /is ready on http:\/\/127\.0\.0\.1:(\d+)/.exec(said) ?? [];
      if (port !== undefined) resolve(Number(port));
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.once('exit', (code, signal) => reject(new Error(`roomwire ended (${code ?? signal}):\n${said}`)));
  });
