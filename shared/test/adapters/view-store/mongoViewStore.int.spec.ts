import { openMongoViewStores } from '../../../src/adapters/view-store/mongo/mongoViewStore.js';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { usageStoreContract } from '@roomwire/testing/contracts/usageStoreContract';
import { viewStoreContract } from '@roomwire/testing/contracts/view-store/viewStoreContract';
import { mongoUrl, testDatabase } from './mongoTestDatabase.js';

describe('on the MongoDB of this run', () => {
  before(() => void mongoUrl());

  const opened = async () => {
    const database = testDatabase();
    const open = (version?: number) =>
      openMongoViewStores({ url: database.url, database: database.name, version });
    return reopenable(open, () => database.drop());
  };
  viewStoreContract('MongoDB', opened);
  usageStoreContract('MongoDB', opened);
});
