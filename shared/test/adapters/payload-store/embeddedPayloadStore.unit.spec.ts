import { join } from 'node:path';
import { payloadStoreContract } from '@roomwire/testing/contracts/payloadStoreContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { openEmbeddedPayloadStore } from '../../../src/adapters/payload-store/embeddedPayloadStore.js';

payloadStoreContract('files', async (limits, clock) => {
  const folder = await temporaryFolder();
  const files = { file: (name: string) => join(folder.path, name) };
  return reopenable(
    () => openEmbeddedPayloadStore(files, limits(), clock),
    () => folder.remove(),
  );
});
