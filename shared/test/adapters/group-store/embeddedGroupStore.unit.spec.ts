import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedGroupStore } from '../../../src/adapters/group-store/embeddedGroupStore.js';
import { groupStoreContract } from '@roomwire/testing/contracts/groupStoreContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';

const openOnFiles = async (now: () => number = Date.now) => {
  const folder = await temporaryFolder();
  const open = () => openEmbeddedGroupStore({ file: (name) => join(folder.path, name) }, now());
  return reopenable(open, () => folder.remove());
};

groupStoreContract('files', () => openOnFiles());

describe('worker groups on files', () => {
  it('removes what has expired when it is opened', async () => {
    let now = 1_000;
    const { store, reopen, dispose } = await openOnFiles(() => now);
    const group = { topic: 't', sinceMs: 0, undone: [], done: [], place: 'x' };
    await store.write({ ...group, group: 'soon', expiresAt: 2_000 });
    await store.write({ ...group, group: 'later', expiresAt: 2_001 });
    now = 2_000;
    const reopened = await reopen();
    expect(await reopened.load('t', 'soon')).to.equal(undefined);
    expect(await reopened.load('t', 'later')).to.include({ expiresAt: 2_001 });
    await dispose();
  });
});
