import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { snapshotStoreContract } from '@roomwire/testing/contracts/snapshotStoreContract';
import { openMongoSnapshotStore } from '../../../src/adapters/snapshot-store/mongoSnapshotStore.js';
import { mongoUrl, testDatabase } from '../view-store/mongoTestDatabase.js';

describe('on the MongoDB of this run', () => {
  before(() => void mongoUrl());

  snapshotStoreContract('MongoDB', async (limits, clock) => {
    const database = testDatabase();
    const address = { url: database.url, database: database.name };
    return reopenable(
      () => openMongoSnapshotStore(address, limits(), clock),
      () => database.drop(),
    );
  });
});
