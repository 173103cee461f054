import process from 'node:process';

/** Whether tests that run on either profile are to run on the engines. */
export const isOnEngines = (): boolean => process.env['ROOMWIRE_TEST_PROFILE'] === 'distributed';

const addressIn = (variable: string): string => {
  const address = process.env[variable];
  if (!address) throw new Error(`${variable} is not set: run these tests with \`npm run test:engines\``);
  return address;
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

/** Between the clusters of a run in which several files are tested at a time: services on one cluster hear one another. */
export const clusterSeparator = ';';

/** Those of one cluster. */
export const testBrokers = (): readonly string[] => {
  const clusters = addressIn('ROOMWIRE_TEST_KAFKA_BROKERS').split(clusterSeparator);
  const worker = Number(process.env['MOCHA_WORKER_ID'] ?? 0);
  return (clusters[worker % clusters.length] as string).split(',');
};
