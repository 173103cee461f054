import { join } from 'node:path';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { roomEventStoreContract } from '@roomwire/testing/contracts/roomEventStoreContract';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { openEmbeddedRoomEventStore } from '../../../src/adapters/room-event-store/embeddedRoomEventStore.js';

roomEventStoreContract('files', async () => {
  const folder = await temporaryFolder();
  const open = () => openEmbeddedRoomEventStore({ file: (name) => join(folder.path, name) });
  return reopenable(open, () => folder.remove());
});
