import { join } from 'node:path';
import type { JobStore } from '../../../src/ports/jobStore.js';
import { jobStoreContract } from '@roomwire/testing/contracts/job-store/jobStoreContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { openEmbeddedJobStore } from '../../../src/adapters/job-store/embeddedJobStore.js';

jobStoreContract('files', async () => {
  const folder = await temporaryFolder();
  const open = () => openEmbeddedJobStore({ file: (name) => join(folder.path, name) });
  const underTest = await reopenable(open, () => folder.remove());
  // A folder has one process: both owners are in it, one after the other.
  const beside = async (): Promise<JobStore> => underTest.store;
  return { ...underTest, beside };
});
