import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import process from 'node:process';
import { rollOf } from '@roomwire/testing/contracts/roomEventStoreContract';
import { openEmbeddedRoomEventStore } from '../../../src/adapters/room-event-store/embeddedRoomEventStore.js';

/** Goes on with several rolls from where they are, says of each record when it is safe, and replaces the earlier ones now and then. */
const [path = ''] = process.argv.slice(2);
const store = await openEmbeddedRoomEventStore({ file: (name) => join(path, name) });

const appendInTurn = async (roomId: string): Promise<void> => {
  const roll = rollOf(roomId);
  let revision = (await store.read(roll))?.records.at(-1)?.revision ?? 0;
  for (;;) {
    revision += 1;
    const content = Buffer.from(String(revision));
    const from = revision % 10 === 0 ? revision : undefined;
    const [write] = await store.append([{ roll, revision, term: 1, content, isIdle: false, from }]);
    process.send?.([roomId, revision, write]);
  }
};
await Promise.all(['a', 'b', 'c'].map(appendInTurn));
