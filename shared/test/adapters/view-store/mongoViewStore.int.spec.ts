import { openMongoViewStore } from '../../../src/adapters/view-store/mongo/mongoViewStore.js';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { viewStoreContract } from '@roomwire/testing/contracts/view-store/viewStoreContract';
import { mongoUrl, testDatabase } from './mongoTestDatabase.js';

describe('on the MongoDB of this run', () => {
  before(() => void mongoUrl());

  viewStoreContract('MongoDB', async () => {
    const database = testDatabase();
    const open = () => openMongoViewStore({ url: database.url, database: database.name });
    return reopenable(open, () => database.drop());
  });
});
