import { openMongoScheduleStore } from '../../../src/adapters/schedule-store/mongoScheduleStore.js';
import { scheduleStoreContract } from '@roomwire/testing/contracts/scheduleStoreContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { mongoUrl, testDatabase } from '../view-store/mongoTestDatabase.js';

describe('on the MongoDB of this run', () => {
  before(() => void mongoUrl());

  scheduleStoreContract('MongoDB', async () => {
    const database = testDatabase();
    const open = () => openMongoScheduleStore({ url: database.url, database: database.name });
    return reopenable(open, () => database.drop());
  });
});
