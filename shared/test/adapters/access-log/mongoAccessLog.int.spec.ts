import { accessLogContract } from '@roomwire/testing/contracts/accessLogContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { openMongoAccessLog } from '../../../src/adapters/access-log/mongoAccessLog.js';
import { mongoUrl, testDatabase } from '../view-store/mongoTestDatabase.js';

describe('on the MongoDB of this run', () => {
  before(() => void mongoUrl());

  accessLogContract('MongoDB', async (limits, clock) => {
    const database = testDatabase();
    const address = { url: database.url, database: database.name };
    return reopenable(
      () => openMongoAccessLog(address, limits(), clock),
      () => database.drop(),
    );
  });
});
