import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { MongoClient } from 'mongodb';

/** The server of the run; the tests cannot do without. */
export const mongoUrl = (): string => {
  const url = process.env.ROOMWIRE_TEST_MONGODB_URL;
  if (url === undefined || url === '')
    throw new Error(
      'ROOMWIRE_TEST_MONGODB_URL is not set: run these tests with `npm run test:engines`, or set it to a MongoDB',
    );
  return url;
};

export interface TestDatabase {
  readonly url: string;
  readonly name: string;
  drop(): Promise<void>;
}

/** A database of its own for one test. */
export const testDatabase = (): TestDatabase => {
  const url = mongoUrl();
  const name = `roomwire_test_${randomUUID().slice(0, 8)}`;
  return {
    url,
    name,
    drop: async () => {
      const client = new MongoClient(url);
      await client.db(name).dropDatabase();
      await client.close();
    },
  };
};
