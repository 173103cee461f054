import { payloadStoreContract } from '@roomwire/testing/contracts/payloadStoreContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { openMongoPayloadStore } from '../../../src/adapters/payload-store/mongoPayloadStore.js';
import { mongoUrl, testDatabase } from '../view-store/mongoTestDatabase.js';

describe('on the MongoDB of this run', () => {
  before(() => void mongoUrl());

  payloadStoreContract('MongoDB', async (limits, clock) => {
    const database = testDatabase();
    const address = { url: database.url, database: database.name };
    return reopenable(
      () => openMongoPayloadStore(address, limits(), clock),
      () => database.drop(),
    );
  });
});
