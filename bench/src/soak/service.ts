import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type Credentials, launchRoomwire, readCredentials } from '../peers/roomwire.js';
import { readyLine } from '../process/children.js';

interface Line {
  readonly level?: string;
  readonly message?: string;
}

const harmless: ReadonlySet<string> = new Set(['info', 'debug']);

/** What a service writes to standard error: JSON lines, of which none may be a warning or an error. */
export class ServiceLog {
  lines = 0;
  /** The first of each kind, and how often it came. */
  readonly complaints = new Map<string, { readonly first: string; count: number }>();
  private rest = '';

  add(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.take(line);
  }

  private take(line: string): void {
    this.lines += 1;
    const { level, message } = parsed(line);
    if (level !== undefined && harmless.has(level)) return;
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

/** The standalone program as users run it, with messages on record, and without limits on what the soak sets up by REST. */
export const startSoakedService = async (folder: string): Promise<SoakedService> => {
  const log = new ServiceLog();
  const child = launchRoomwire(
    folder,
    undefined,
    0,
    {
      NODE_OPTIONS: reporting,
      ROOMWIRE_MESSAGE_RECORDING: 'true',
      ROOMWIRE_PUBLISH_RATE: '50',
      ROOMWIRE_IDLE_TIMEOUT_SECONDS: '60',
      ROOMWIRE_LOG_LEVEL: 'info',
    },
    (text) => log.add(text),
  );
  const { process: program, processId } = child;
  const port = Number(await readyLine(child, /Roomwire is ready on http:\/\/127\.0\.0\.1:(\d+)/));

  const collected = async (): Promise<number> => {
    const answer = once(program.stdout ?? program, 'data', { signal: AbortSignal.timeout(answerMs) });
    program.kill('SIGUSR2');
    const [text] = (await answer) as [string];
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
