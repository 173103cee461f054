import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { rollOf, roomEventStoreContract } from '@roomwire/testing/contracts/roomEventStoreContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { once } from '../../../src/runtime/service.js';
import { openMongoRoomEventStore } from '../../../src/adapters/room-event-store/mongoRoomEventStore.js';
import { linkTo } from '../view-store/mongoLink.js';
import { mongoUrl, testDatabase } from '../view-store/mongoTestDatabase.js';

describe('on the MongoDB of this run', () => {
  before(() => void mongoUrl());

  roomEventStoreContract('MongoDB', async () => {
    const database = testDatabase();
    const open = () => openMongoRoomEventStore({ url: database.url, database: database.name });
    return reopenable(open, () => database.drop());
  });

  /** Deletions do not go on before this has happened. */
  const beforeDeletions = (client: Socket, happen: () => Promise<unknown>): void => {
    const emit = client.emit.bind<Socket['emit']>(client);
    client.emit = (event: string, ...args: unknown[]) => {
      const [bytes] = args;
      if (event !== 'data' || !(bytes as Buffer).includes('deletes')) return emit(event, ...args);
      void happen().then(() => emit(event, ...args));
      return true;
    };
  };

  it('leaves what is appended to an idle roll after the look that finds it so', async () => {
    const database = testDatabase();
    const open = (url: string) => openMongoRoomEventStore({ url, database: database.name });
    const owner = await open(database.url);
    const roll = rollOf('room');
    const append = (revision: number, isIdle: boolean) =>
      owner.append([{ roll, revision, term: 1, isIdle, content: Buffer.from(`r${revision}`) }]);
    await append(1, true);
    const appending = once(async () => void (await append(2, false)));
    const link = await linkTo(database.url, (client) => beforeDeletions(client, appending));
    const keeper = await open(link.url);
    await keeper.removeOf(['room']);
    await owner.settle(roll, 3);
    const left = await owner.read(roll);
    expect(left?.records.map(({ revision }) => revision)).to.eql([2]);
    expect(left?.settled).to.equal(3);
    for (const one of [owner, keeper, link]) await one.close();
    await database.drop();
  });

  const mebibyte = 1024 * 1024;

  /** What the server sends arrives no faster. */
  const throttle = (client: Socket, bytesPerSecond: number): void => {
    const write = client.write.bind(client);
    let freeAt = performance.now();
    client.write = (bytes: Buffer) => {
      freeAt = Math.max(freeAt, performance.now()) + (bytes.length / bytesPerSecond) * 1_000;
      setTimeout(() => client.destroyed || write(bytes), freeAt - performance.now());
      return true;
    };
  };

  it('reads a roll that takes longer than a request may', async function () {
    this.timeout(60_000);
    const database = testDatabase();
    const link = await linkTo(database.url, (client) => throttle(client, mebibyte));
    const store = await openMongoRoomEventStore({ url: link.url, database: database.name });
    const roll = rollOf('room');
    for (const revision of [1, 2, 3, 4])
      await store.append([
        { roll, revision, term: 1, isIdle: false, content: Buffer.alloc(mebibyte, revision) },
      ]);
    const stored = await store.read(roll);
    expect(stored?.records.map(({ content }) => [content.length, content.at(-1)])).to.eql(
      [1, 2, 3, 4].map((revision) => [mebibyte, revision]),
    );
    await store.close();
    await link.close();
    await database.drop();
  });
});
