import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type Credentials, launchRoomwire, readCredentials } from '../peers/roomwire.js';
import { readyLine } from '../process/children.js';

interface Line {
  readonly level?: string;
  readonly message?: string;
}

/** What a service writes to standard error: JSON lines, of which none may be a warning or an error unless those are expected. */
export class ServiceLog {
  lines = 0;
  /** The first of each kind, and how often it came. */
  readonly complaints = new Map<string, { readonly first: string; count: number }>();
  private readonly harmless: ReadonlySet<string>;
  private rest = '';

  constructor(expected: readonly ('warn' | 'error')[] = []) {
    this.harmless = new Set(['info', 'debug', ...expected]);
  }

  add(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.take(line);
  }

  private take(line: string): void {
    this.lines += 1;
    const { level, message } = parsed(line);
    if (level !== undefined && this.harmless.has(level)) return;
    const kind = `${level ?? 'not JSON'}: ${message ?? line.slice(0, 80)}`;
    const known = this.complaints.get(kind);
    if (known) known.count += 1;
    else this.complaints.set(kind, { first: line, count: 1 });
  }
}

const parsed = (line: string): Line => {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return {}; // Whatever is no log line is a complaint of Node itself.
  }
};

export interface SoakedService {
  readonly port: number;
  readonly processId: number;
  readonly credentials: Credentials;
  readonly log: ServiceLog;
  /** What the program holds after a collection of its garbage: heap, and memory outside of it. In MB. */
  heldMegabytes(): Promise<number>;
  /** Ends it in order. Resolves with its exit code, null when it had to be killed. */
  stop(): Promise<number | null>;
}

interface MemoryUsage {
  readonly heapUsed: number;
  readonly external: number;
}

const answerMs = 30_000;
const settleMs = 200;
const reporting = `--import=${new URL('../process/memoryOnSignal.js', import.meta.url).href}`;

export interface SoakedServiceOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** Requests a second and API key; 0 is no limit, as long as the soak sets things up by REST. */
  readonly restRate: number;
  /** Whether its warnings are no complaints. */
  readonly expectsWarnings: boolean;
}

/** The standalone program as users run it, with messages on record. */
export const startSoakedService = async (
  folder: string,
  { port: wantedPort, restRate, expectsWarnings }: SoakedServiceOptions,
): Promise<SoakedService> => {
  const log = new ServiceLog(expectsWarnings ? ['warn'] : []);
  const child = launchRoomwire(folder, undefined, wantedPort, {
    env: {
      ROOMWIRE_REST_RATE: String(restRate),
      NODE_OPTIONS: reporting,
      ROOMWIRE_MESSAGE_RECORDING: 'true',
      ROOMWIRE_PUBLISH_RATE: '50',
      ROOMWIRE_IDLE_TIMEOUT_SECONDS: '60',
      ROOMWIRE_LOG_LEVEL: 'info',
    },
    onLog: (text) => log.add(text),
  });
  const { process: program, processId } = child;
  const port = Number(await readyLine(child, /Roomwire is ready on http:\/\/127\.0\.0\.1:(\d+)/));

  const collected = async (): Promise<number> => {
    const answer = once(program.stdout ?? program, 'data', { signal: AbortSignal.timeout(answerMs) });
    program.kill('SIGUSR2');
    const [text] = (await answer.catch((cause: unknown) => {
      throw new Error(`The service did nothing for ${answerMs / 1_000} s`, { cause });
    })) as [string];
    const { heapUsed, external } = JSON.parse(text.replace(/^memory /, '')) as MemoryUsage;
    return (heapUsed + external) / 2 ** 20;
  };

  return {
    port,
    processId,
    credentials: await readCredentials(folder),
    log,
    async heldMegabytes() {
      // The first one lets finalizers run, whose memory the second one finds.
      await collected();
      await pause(settleMs);
      return collected();
    },
    async stop() {
      await child.stop();
      return program.exitCode;
    },
  };
};
