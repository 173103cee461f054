import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { payloadStoreContract } from '@roomwire/testing/contracts/payloadStoreContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { rejectionOf } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
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

  it('counts a payload whose size could not be written when it is put again', async () => {
    const database = testDatabase();
    const client = new MongoClient(database.url);
    const db = client.db(database.name);
    const sizes = db.collection<{ _id: string; bytes: string }>('payloadSizes');
    const quotaBytes = 1_000;
    const clock = new ManualClock();
    const address = { url: database.url, database: database.name };
    const store = await openMongoPayloadStore(address, { retentionMs: 60_000, quotaBytes }, clock);
    const put = (id: string, bytes: number) =>
      store.put({ id, projectId: 'p', owners: [], content: Buffer.alloc(bytes) });
    try {
      // The server adds nothing to a text.
      await sizes.insertOne({ _id: 'p', bytes: 'none' });
      expect(await rejectionOf(put('first', 400))).to.be.instanceOf(Error);
      await sizes.deleteOne({ _id: 'p' });
      expect(await put('first', 400)).to.equal(0);
      for (const id of ['second', 'third', 'fourth']) {
        clock.pass(1_000);
        await put(id, 300);
      }
      const stored = await db.collection('payloads').find().sort({ storedAt: 1 }).toArray();
      expect(stored.map(({ _id }) => String(_id))).to.eql(['second', 'third', 'fourth']);
    } finally {
      await store.close();
      await client.close();
      await database.drop();
    }
  });
});
