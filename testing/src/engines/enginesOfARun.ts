import process from 'node:process';

export interface RunningEngine {
  readonly name: string;
  /** The environment variable that tells the tests where it is. */
  readonly variable: string;
  readonly address: string;
  close(): Promise<void>;
}

interface EngineOfARun extends Pick<RunningEngine, 'name' | 'variable'> {
  start(): Promise<Pick<RunningEngine, 'address' | 'close'>>;
}

type Say = (line: string) => void;

/**
 * What the tests of a run share. Not the event log: its one order would mix their events, and its stand-in starts at once, so
 * that each of them has one of its own (unless `ROOMWIRE_TEST_EVENTSTORE_URL` names a real one).
 */
const enginesOfARun: readonly EngineOfARun[] = [
  {
    name: 'MongoDB (FerretDB)',
    variable: 'ROOMWIRE_TEST_MONGODB_URL',
    start: async () => {
      const engine = await (await import('./ferretdb.js')).startFerretDb();
      return { address: engine.url, close: () => engine.close() };
    },
  },
  {
    name: 'Kafka',
    variable: 'ROOMWIRE_TEST_KAFKA_BROKERS',
    start: async () => {
      const engine = await (await import('./kafka.js')).startKafka();
      return { address: engine.brokers, close: () => engine.close() };
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
export const startMissingEngines = async (
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

export const stopEngines = async (engines: readonly RunningEngine[], say: Say): Promise<void> => {
  const from = performance.now();
  const closed = await Promise.allSettled(engines.map((engine) => engine.close()));
  for (const outcome of closed) if (outcome.status === 'rejected') say(messageOf(outcome.reason));
  say(`The engines were stopped in ${seconds(from)}`);
};
