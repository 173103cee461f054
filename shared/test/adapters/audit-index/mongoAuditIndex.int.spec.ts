import { openMongoAuditIndex } from '../../../src/adapters/audit-index/mongoAuditIndex.js';
import { auditIndexContract } from '@roomwire/testing/contracts/auditIndexContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { mongoUrl, testDatabase } from '../view-store/mongoTestDatabase.js';

describe('on the MongoDB of this run', () => {
  before(() => void mongoUrl());

  auditIndexContract('MongoDB', async () => {
    const database = testDatabase();
    const open = () => openMongoAuditIndex({ url: database.url, database: database.name });
    return reopenable(open, () => database.drop());
  });
});
