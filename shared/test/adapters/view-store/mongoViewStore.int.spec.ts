import { openMongoViewStore } from '../../../src/adapters/view-store/mongo/mongoViewStore.js';
import { reopenable } from '../../../src/testing/reopenable.js';
import { viewStoreContract } from '../../../src/testing/viewStoreContract.js';
import { mongoUrl, testDatabase } from './mongoTestDatabase.js';

describe('on the MongoDB of this run', () => {
  before(() => void mongoUrl());

  viewStoreContract('MongoDB', async () => {
    const database = testDatabase();
    const open = () => openMongoViewStore({ url: database.url, database: database.name });
    return reopenable(open, () => database.drop());
  });
});
