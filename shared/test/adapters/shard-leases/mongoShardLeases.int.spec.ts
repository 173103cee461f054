import { openMongoLeaseTable } from '../../../src/adapters/shard-leases/mongoShardLeases.js';
import { shardLeasesContract } from '@roomwire/testing/contracts/shardLeasesContract';
import { mongoUrl, testDatabase } from '../view-store/mongoTestDatabase.js';

describe('on the MongoDB of this run', () => {
  before(() => void mongoUrl());

  shardLeasesContract('MongoDB', async () => {
    const database = testDatabase();
    return {
      open: () => openMongoLeaseTable({ url: database.url, database: database.name }),
      dispose: () => database.drop(),
    };
  });
});
