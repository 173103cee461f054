import { openMongoSessionStore } from '../../../src/adapters/session-store/mongoSessionStore.js';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { sessionStoreContract } from '@roomwire/testing/contracts/sessionStoreContract';
import { mongoUrl, testDatabase } from '../view-store/mongoTestDatabase.js';

describe('on the MongoDB of this run', () => {
  before(() => void mongoUrl());

  sessionStoreContract('MongoDB', async (limits) => {
    const database = testDatabase();
    const open = () => openMongoSessionStore({ url: database.url, database: database.name }, limits);
    return reopenable(open, () => database.drop());
  });
});
