import { openMongoGroupStore } from '../../../src/adapters/group-store/mongoGroupStore.js';
import { groupStoreContract } from '@roomwire/testing/contracts/groupStoreContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { mongoUrl, testDatabase } from '../view-store/mongoTestDatabase.js';

describe('on the MongoDB of this run', () => {
  before(() => void mongoUrl());

  groupStoreContract('MongoDB', async () => {
    const database = testDatabase();
    const open = () => openMongoGroupStore({ url: database.url, database: database.name });
    return reopenable(open, () => database.drop());
  });
});
