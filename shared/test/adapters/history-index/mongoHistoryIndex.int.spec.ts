import { expect } from 'chai';
import { MongoClient, type Db, type Document } from 'mongodb';
import { at, records } from '@roomwire/testing/contracts/history-index/appends';
import { historyIndexContract } from '@roomwire/testing/contracts/history-index/historyIndexContract';
import { appendAll, offsetsOf } from '@roomwire/testing/contracts/history-index/keptMessages';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { openMongoHistoryIndex } from '../../../src/adapters/history-index/mongoHistoryIndex.js';
import { mongoUrl, testDatabase, type TestDatabase } from '../view-store/mongoTestDatabase.js';

describe('on the MongoDB of this run', () => {
  before(() => void mongoUrl());

  historyIndexContract('MongoDB', async (clock) => {
    const database = testDatabase();
    const openIndex = () => openMongoHistoryIndex({ url: database.url, database: database.name }, clock);
    return { ...(await reopenable(openIndex, () => database.drop())), beside: openIndex };
  });

  describe('an append to MongoDB that was broken off', () => {
    let database: TestDatabase;
    let client: MongoClient;
    let db: Db;

    beforeEach(() => {
      database = testDatabase();
      client = new MongoClient(database.url);
      db = client.db(database.name);
    });
    afterEach(async () => {
      await client.close();
      await database.drop();
    });

    const opened = async <T>(
      use: (index: Awaited<ReturnType<typeof openMongoHistoryIndex>>) => Promise<T>,
    ): Promise<T> => {
      const index = await openMongoHistoryIndex({ url: database.url, database: database.name });
      return use(index).finally(() => index.close());
    };

    const documentsOf = (name: string): Promise<Document[]> => db.collection(name).find().toArray();

    /** As it is where the process ends before the topics, or the partition, are written. */
    const putBack = async (name: string, documents: readonly Document[]): Promise<void> => {
      await db.collection(name).deleteMany({});
      if (documents.length > 0) await db.collection(name).insertMany([...documents]);
    };

    for (const [before, count] of [
      [0, 30],
      [0, 350],
      [80, 10],
      [80, 350],
      [100, 120],
    ] as const)
      it(`is completed by its records: ${count} behind ${before}`, async () => {
        const all = records(0, before + count);
        if (before > 0) await opened((index) => appendAll(index, all.slice(0, before)));
        const [topics, partitions] = [
          await documentsOf('historyTopics'),
          await documentsOf('historyPartitions'),
        ];
        await opened((index) => appendAll(index, all.slice(before)));
        await putBack('historyTopics', topics);
        await putBack('historyPartitions', partitions);
        await opened(async (index) => {
          for (let from = before; from < all.length; from += 40)
            await appendAll(index, all.slice(from, from + 40));
          expect(await offsetsOf(index)).to.eql(all.map(({ offset }) => offset));
          // What keeps the messages is known as well.
          expect(await index.prune(at + all.length * 1_000)).to.equal(0);
        });
      });

    it('leaves nothing behind where the room was removed meanwhile', async () => {
      const all = records(0, 230);
      await opened((index) => appendAll(index, all));
      await putBack('historyTopics', []);
      await opened(async (index) => {
        await index.removeOf(['room']);
        await appendAll(index, all);
      });
      expect([await documentsOf('historyTopics'), await documentsOf('historyBuckets')]).to.eql([[], []]);
    });
  });
});
