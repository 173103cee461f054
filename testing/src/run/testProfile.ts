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

export const testBrokers = (): readonly string[] => addressIn('ROOMWIRE_TEST_KAFKA_BROKERS').split(',');
