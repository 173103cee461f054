import { jobStoreContract } from '@roomwire/testing/contracts/job-store/jobStoreContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { openMongoJobStore } from '../../../src/adapters/job-store/mongoJobStore.js';
import { mongoUrl, testDatabase } from '../view-store/mongoTestDatabase.js';

describe('on the MongoDB of this run', () => {
  before(() => void mongoUrl());

  jobStoreContract('MongoDB', async () => {
    const database = testDatabase();
    const beside = () => openMongoJobStore({ url: database.url, database: database.name });
    return { ...(await reopenable(beside, () => database.drop())), beside };
  });
});
