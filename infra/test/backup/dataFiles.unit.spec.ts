import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { configIn, opened, restoredFrom } from '../support/backups.js';

/** Made again by whoever finds them missing, or of no use elsewhere. */
const notBackedUp = ['activity', 'analytics', 'connections', 'owner', 'shards', 'snapshots'];

describe('the files of a data folder', () => {
  let folder: TemporaryFolder;

  beforeEach(async () => void (folder = await temporaryFolder()));
  afterEach(() => folder.remove());

  const filesIn = async (name: string): Promise<readonly string[]> =>
    (await readdir(join(folder.path, name)))
      .filter((file) => file.endsWith('.lmdb'))
      .map((file) => file.slice(0, -'.lmdb'.length))
      .toSorted();

  it('are all in a backup, but for those that it need not have', async () => {
    const used = configIn(folder, 'used', { ROOMWIRE_MESSAGE_RECORDING: 'true' });
    await opened(used, async (adapters) => {
      const ports = Object.values({ ...adapters }) as readonly (() => unknown)[];
      for (const open of ports) await open();
    });
    const expected = (await filesIn('used')).filter((name) => !notBackedUp.includes(name));
    expect(expected).to.include.members(['events', 'jobs', 'schedules']);
    await restoredFrom(folder, used);
    expect(await filesIn('backup')).to.eql(expected);
  });
});
