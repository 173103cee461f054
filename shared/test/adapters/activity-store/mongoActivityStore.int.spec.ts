import { activityStoreContract } from '@roomwire/testing/contracts/activityStoreContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { openMongoActivityStore } from '../../../src/adapters/activity-store/mongoActivityStore.js';
import { mongoUrl, testDatabase } from '../view-store/mongoTestDatabase.js';

describe('on the MongoDB of this run', () => {
  before(() => void mongoUrl());

  activityStoreContract('MongoDB', async () => {
    const database = testDatabase();
    const address = { url: database.url, database: database.name };
    return reopenable(
      () => openMongoActivityStore(address),
      () => database.drop(),
    );
  });
});
