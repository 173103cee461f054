import { join } from 'node:path';
import { activityStoreContract } from '@roomwire/testing/contracts/activityStoreContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { openEmbeddedActivityStore } from '../../../src/adapters/activity-store/embeddedActivityStore.js';

activityStoreContract('files', async () => {
  const folder = await temporaryFolder();
  const files = { file: (name: string) => join(folder.path, name) };
  return reopenable(
    () => openEmbeddedActivityStore(files),
    () => folder.remove(),
  );
});
