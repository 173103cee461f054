import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { roomEventStoreContract } from '@roomwire/testing/contracts/roomEventStoreContract';
import { openMongoRoomEventStore } from '../../../src/adapters/room-event-store/mongoRoomEventStore.js';
import { mongoUrl, testDatabase } from '../view-store/mongoTestDatabase.js';

describe('on the MongoDB of this run', () => {
  before(() => void mongoUrl());

  roomEventStoreContract('MongoDB', async () => {
    const database = testDatabase();
    const open = () => openMongoRoomEventStore({ url: database.url, database: database.name });
    return reopenable(open, () => database.drop());
  });
});
