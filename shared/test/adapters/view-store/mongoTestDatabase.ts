import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { testMongodb } from '@roomwire/testing/run/testProfile';

export { testMongodb as mongoUrl };

export interface TestDatabase {
  readonly url: string;
  readonly name: string;
  drop(): Promise<void>;
}

/** A database of its own for one test. */
export const testDatabase = (): TestDatabase => {
  const url = testMongodb();
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
