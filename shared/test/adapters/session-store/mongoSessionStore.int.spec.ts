import { openMongoSessionStore } from '../../../src/adapters/session-store/mongoSessionStore.js';
import { reopenable } from '../../../src/testing/reopenable.js';
import { sessionStoreContract } from '../../../src/testing/sessionStoreContract.js';
import { mongoUrl, testDatabase } from '../view-store/mongoTestDatabase.js';

describe('on the MongoDB of this run', () => {
  before(() => void mongoUrl());

  sessionStoreContract('MongoDB', async () => {
    const database = testDatabase();
    const open = () => openMongoSessionStore({ url: database.url, database: database.name });
    return reopenable(open, () => database.drop());
  });
});
