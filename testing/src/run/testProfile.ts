import process from 'node:process';

/** Whether tests that run on either profile are to run on the engines. */
export const isOnEngines = (): boolean => process.env['ROOMWIRE_TEST_PROFILE'] === 'distributed';

/** With how many threads a whole service on files is to run. */
export const testThreads = (): number => (process.env['ROOMWIRE_TEST_PROFILE'] === 'threads' ? 2 : 1);

/** Between the engines of a run in which several files are tested at a time: each worker has those of its own. */
export const workerSeparator = ';';

const addressIn = (variable: string): string => {
  const addresses = process.env[variable];
  if (!addresses) throw new Error(`${variable} is not set: run these tests with \`npm run test:engines\``);
  const ofWorkers = addresses.split(workerSeparator);
  const worker = Number(process.env['MOCHA_WORKER_ID'] ?? 0);
  return ofWorkers[worker % ofWorkers.length] as string;
};

export const testMongodb = (): string => addressIn('ROOMWIRE_TEST_MONGODB_URL');

/** The same server with another database. */
export const withDatabase = (url: string, database: string): string => {
  const parsed = new URL(url);
  parsed.pathname = `/${database}`;
  return parsed.href;
};

/** The server's URL with a database of the test's own. */
export const testMongodbUrl = (database: string): string => withDatabase(testMongodb(), database);

/** Those of one cluster. */
export const testBrokers = (): readonly string[] => addressIn('ROOMWIRE_TEST_KAFKA_BROKERS').split(',');
