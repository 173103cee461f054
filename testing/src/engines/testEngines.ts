import process from 'node:process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isOnEngines, workerSeparator } from '../run/testProfile.js';

interface RunningEngine {
  readonly name: string;
  /** The environment variable with its address. */
  readonly variable: string;
  readonly address: string;
  close(): Promise<void>;
}

type Started = Pick<RunningEngine, 'address' | 'close'>;

interface EngineOfARun extends Pick<RunningEngine, 'name' | 'variable'> {
  start(): Promise<Started>;
}

/** How many files mocha runs at a time. */
const workers = process.argv.includes('--parallel')
  ? Number(process.argv[process.argv.indexOf('--jobs') + 1])
  : 1;

type Say = (line: string) => void;

/** One for each worker: services on one Kafka hear one another, and one FerretDB does the writes of all in turn. */
const startForEachWorker = async (start: () => Promise<Started>): Promise<Started> => {
  const engines = await Promise.all(Array.from({ length: workers }, start));
  return {
    address: engines.map(({ address }) => address).join(workerSeparator),
    close: async () => void (await Promise.all(engines.map((engine) => engine.close()))),
  };
};

/**
 * What the tests of a run share. Not the event log: its one order would mix their events, and its stand-in starts at once, so
 * that each of them has one of its own (unless `ROOMWIRE_TEST_EVENTSTORE_URL` names a real one).
 */
const enginesOfARun: readonly EngineOfARun[] = [
  {
    name: 'MongoDB (FerretDB)',
    variable: 'ROOMWIRE_TEST_MONGODB_URL',
    start: async () => {
      const { startFerretDb } = await import('./ferretdb.js');
      return startForEachWorker(async () => {
        const { url: address, close } = await startFerretDb();
        return { address, close };
      });
    },
  },
  {
    name: 'Kafka',
    variable: 'ROOMWIRE_TEST_KAFKA_BROKERS',
    start: async () => {
      const { startKafka } = await import('./kafka.js');
      const { shortLivedJava } = await import('./kafka/shortLivedJava.js');
      // For the brokers that tests start as well.
      process.env['JDK_JAVA_OPTIONS'] ??= await shortLivedJava();
      return startForEachWorker(async () => {
        const { brokers: address, close } = await startKafka();
        return { address, close };
      });
    },
  },
];

const seconds = (from: number): string => `${((performance.now() - from) / 1_000).toFixed(1)} s`;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** One that the environment names is used as it is, and left alone at the end. */
const use = async (engine: EngineOfARun, say: Say): Promise<RunningEngine> => {
  const { name, variable } = engine;
  const given = process.env[variable];
  if (given) {
    say(`${name}: the one that ${variable} names`);
    return { name, variable, address: given, close: () => Promise.resolve() };
  }
  const from = performance.now();
  try {
    const { address, close } = await engine.start();
    say(`${name}: ${address}, started in ${seconds(from)}`);
    return { name, variable, address, close };
  } catch (error) {
    throw new Error(`${name} could not be started: ${messageOf(error)}`, { cause: error });
  }
};

/** Starts what is missing, all at the same time; those that did start are handed over in any case, to be stopped. */
const startMissingEngines = async (
  say: Say,
): Promise<{ readonly engines: readonly RunningEngine[]; readonly failures: readonly string[] }> => {
  const outcomes = await Promise.allSettled(enginesOfARun.map((engine) => use(engine, say)));
  return {
    engines: outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
    failures: outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [messageOf(outcome.reason)] : [],
    ),
  };
};

const stopEngines = async (engines: readonly RunningEngine[], say: Say): Promise<void> => {
  const from = performance.now();
  const closed = await Promise.allSettled(engines.map((engine) => engine.close()));
  for (const outcome of closed) if (outcome.status === 'rejected') say(messageOf(outcome.reason));
  say(`The engines were stopped in ${seconds(from)}`);
};

const root = fileURLToPath(new URL('../../../../', import.meta.url));

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const exitCodeOf = (stop: AbortSignal): number => 128 + constants.signals[stop.reason as NodeJS.Signals];

/** Aborted by the first SIGINT or SIGTERM, with its name as the reason. The second one ends everything at once. */
const stopSignal = (): AbortSignal => {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(exitCodeOf(stop.signal));
      stop.abort(name);
    });
  return stop.signal;
};

/** Runs mocha on these engines, with the arguments of this program; resolves with its exit code. */
const runMocha = async (engines: readonly RunningEngine[], stop: AbortSignal): Promise<number> => {
  const args = ['node_modules/mocha/bin/mocha.js', '--fail-zero', ...process.argv.slice(2)];
  const addresses = Object.fromEntries(engines.map(({ variable, address }) => [variable, address]));
  const mocha = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...addresses },
    stdio: 'inherit',
  });
  // It runs the tests in a child, and passes on this signal alone.
  stop.addEventListener('abort', () => mocha.kill('SIGINT'));
  const [code] = (await once(mocha, 'exit')) as [number | null];
  return code ?? 1;
};

/** End-to-end tests on engines start the program as it is shipped: one bundle, which also starts in less time than its many modules. */
const bundleProgram = async (): Promise<void> => {
  const bundling = spawn(process.execPath, ['infra/bundle.mjs'], { cwd: root, stdio: 'inherit' });
  const [code] = (await once(bundling, 'exit')) as [number | null];
  if (code !== 0) throw new Error('The program could not be bundled');
};

const run = async (stop: AbortSignal): Promise<number> => {
  if (isOnEngines()) await bundleProgram();
  const { engines, failures } = await startMissingEngines(say);
  try {
    for (const failure of failures) say(failure);
    if (stop.aborted) return exitCodeOf(stop);
    if (failures.length > 0) return 1;
    const code = await runMocha(engines, stop);
    return stop.aborted ? exitCodeOf(stop) : code;
  } finally {
    await stopEngines(engines, say);
  }
};

process.exitCode = await run(stopSignal());
// What an engine may have left behind must not keep a finished run.
process.exit();
