import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { openMongoHistoryIndex } from '../../../src/adapters/history-index/mongoHistoryIndex.js';
import type { MongoAddress } from '../../../src/adapters/mongo/connection.js';
import { openMongoScheduleStore } from '../../../src/adapters/schedule-store/mongoScheduleStore.js';
import { testDatabase, type TestDatabase } from '../view-store/mongoTestDatabase.js';

describe('indexes in MongoDB', () => {
  let database: TestDatabase;
  let address: MongoAddress;
  let client: MongoClient;

  beforeEach(() => {
    database = testDatabase();
    address = { url: database.url, database: database.name };
    client = new MongoClient(database.url);
  });
  afterEach(async () => {
    await client.close();
    await database.drop();
  });

  const indexesOf = async (collection: string) =>
    (await client.db(database.name).collection(collection).indexes()).map(({ key }) => key);

  it('give the topics of an app in their order', async () => {
    await (await openMongoHistoryIndex(address)).close();
    expect(await indexesOf('historyTopics')).to.deep.include({ owners: 1, _id: 1 });
  });

  it('give what is due in its order, with the shards', async () => {
    await (await openMongoScheduleStore(address)).close();
    expect(await indexesOf('schedules')).to.deep.include({ deliverAt: 1, place: 1, shard: 1 });
  });
});
