import { MongoClient } from 'mongodb';
import { publishIdsContract } from '@roomwire/testing/contracts/publishIdsContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { openMongoPublishIds } from '../../../src/adapters/publish-ids/mongoPublishIds.js';
import { mongoUrl, testDatabase } from '../view-store/mongoTestDatabase.js';

describe('on the MongoDB of this run', () => {
  before(() => void mongoUrl());

  publishIdsContract('MongoDB', async (setting) => {
    const database = testDatabase();
    const client = new MongoClient(database.url);
    const openStore = () => openMongoPublishIds({ url: database.url, database: database.name }, setting);
    return {
      ...(await reopenable(openStore, async () => {
        await client.close();
        await database.drop();
      })),
      beside: openStore,
      count: () => client.db(database.name).collection('publish_ids').countDocuments(),
    };
  });
});
