import { connectionRecordContract } from '@roomwire/testing/contracts/connectionRecordContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { openMongoConnectionRecord } from '../../../src/adapters/connection-record/mongo/mongoConnectionRecord.js';
import { mongoUrl, testDatabase } from '../view-store/mongoTestDatabase.js';

describe('on the MongoDB of this run', () => {
  before(() => void mongoUrl());

  connectionRecordContract('MongoDB', async () => {
    const database = testDatabase();
    const address = { url: database.url, database: database.name };
    return reopenable(
      () => openMongoConnectionRecord(address),
      () => database.drop(),
    );
  });
});
