import { join } from 'node:path';
import { open } from 'lmdb';
import { publishIdsContract } from '@roomwire/testing/contracts/publishIdsContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { openEmbeddedPublishIds } from '../../../src/adapters/publish-ids/embeddedPublishIds.js';

publishIdsContract('files', async (setting) => {
  const folder = await temporaryFolder();
  const file = (name: string): string => join(folder.path, name);
  const openStore = () => openEmbeddedPublishIds({ file }, setting);
  return {
    ...(await reopenable(openStore, () => folder.remove())),
    beside: openStore,
    count: () => kept(file('publish-ids.lmdb')),
  };
});

/** The more of the two tables, so that neither keeps what the other one has forgotten. */
const kept = async (path: string): Promise<number> => {
  const environment = open({ path, overlappingSync: false, readOnly: true });
  try {
    const [claims, expiries] = ['claims', 'expiries'].map((name) =>
      environment.openDB(name, {}).getKeysCount(),
    );
    return Math.max(claims ?? 0, expiries ?? 0);
  } finally {
    await environment.close();
  }
};
