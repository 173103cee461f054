import { join } from 'node:path';
import { openEmbeddedScheduleStore } from '../../../src/adapters/schedule-store/embeddedScheduleStore.js';
import { scheduleStoreContract } from '@roomwire/testing/contracts/scheduleStoreContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';

scheduleStoreContract('files', async () => {
  const folder = await temporaryFolder();
  const open = () => openEmbeddedScheduleStore({ file: (name) => join(folder.path, name) });
  return reopenable(open, () => folder.remove());
});
