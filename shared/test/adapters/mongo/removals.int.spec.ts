import { expect } from 'chai';
import { MongoClient, type Document } from 'mongodb';
import {
  authenticated,
  FactGateway,
  start,
  subscribed,
  unsubscribed,
} from '@roomwire/testing/builders/connectionFacts';
import { scheduleOf } from '@roomwire/testing/contracts/scheduleStoreContract';
import { openMongoConnectionRecord } from '../../../src/adapters/connection-record/mongo/mongoConnectionRecord.js';
import type { MongoAddress } from '../../../src/adapters/mongo/connection.js';
import { openMongoRoomEventStore } from '../../../src/adapters/room-event-store/mongoRoomEventStore.js';
import { openMongoScheduleStore } from '../../../src/adapters/schedule-store/mongoScheduleStore.js';
import { deletionsIn, noteCommands } from '../view-store/mongoCommands.js';
import { linkTo, type Link } from '../view-store/mongoLink.js';
import { testDatabase, type TestDatabase } from '../view-store/mongoTestDatabase.js';

/** A request for more would take longer, with enough documents, than a request may. */
const mostInOne = 1_000;

describe('what a deletion removes from MongoDB in one request', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let link: Link;
  let commands: Document[];
  let address: MongoAddress;

  beforeEach(async () => {
    database = testDatabase();
    commands = [];
    link = await linkTo(database.url, (client) => noteCommands(client, commands));
    address = { url: link.url, database: database.name };
  });
  afterEach(async () => {
    await link.close();
    await database.drop();
  });

  const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

  const expectInSteps = (collection: string, documents: number): void => {
    const deletions = deletionsIn(collection, commands);
    expect(Math.max(...deletions)).to.be.at.most(mostInOne);
    expect(deletions.reduce((sum, count) => sum + count)).to.equal(documents);
  };

  it('is a part of the facts of a project', async () => {
    const record = await openMongoConnectionRecord(address);
    const gateway = new FactGateway('g1');
    const facts = numbers(2_499).map((n) => (n % 2 === 0 ? subscribed : unsubscribed)('c1', start + 1 + n));
    await record.write([gateway.batch([authenticated('c1', start), ...facts])]);
    await record.removeOf(['p1']);
    expect(await record.timeline({ connectionId: 'c1', limit: 1 })).to.eql([]);
    expect(await record.get('o1', 'c1')).to.equal(undefined);
    await record.close();
    expectInSteps('connectionFacts', 2_500);
  });

  it('is a part of the schedules of a project', async () => {
    const store = await openMongoScheduleStore(address);
    await store.add(numbers(2_500).map((n) => scheduleOf(n)));
    const { publish } = scheduleOf(0);
    expect(await store.removeOf([publish.projectId])).to.equal(2_500);
    expect(await store.held(publish.projectId)).to.eql({ messages: 0, bytes: 0 });
    await store.close();
    expectInSteps('schedules', 2_500);
  });

  it('is a part of the room events of a project', async () => {
    const collections = ['roomEvents', 'roomEventsSettled'];
    const store = await openMongoRoomEventStore(address);
    const documents = numbers(1_200).map((n) => ({ _id: `room-${n}`, projectId: 'project' }));
    const client = new MongoClient(database.url);
    for (const name of collections)
      await client.db(database.name).collection<{ _id: string }>(name).insertMany(documents);
    await client.close();
    await store.removeOf(['project']);
    await store.close();
    for (const name of collections) expectInSteps(name, documents.length);
  });
});
