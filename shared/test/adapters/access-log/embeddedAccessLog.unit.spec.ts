import { join } from 'node:path';
import { accessLogContract } from '@roomwire/testing/contracts/accessLogContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { openEmbeddedAccessLog } from '../../../src/adapters/access-log/embeddedAccessLog.js';

accessLogContract('files', async (limits, clock) => {
  const folder = await temporaryFolder();
  const files = { file: (name: string) => join(folder.path, name) };
  return reopenable(
    () => openEmbeddedAccessLog(files, limits(), clock),
    () => folder.remove(),
  );
});
