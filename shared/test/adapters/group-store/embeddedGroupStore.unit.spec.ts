import { join } from 'node:path';
import { expect } from 'chai';
import { open as openLmdb } from 'lmdb';
import {
  openEmbeddedGroupStore,
  type GroupStoreOptions,
} from '../../../src/adapters/group-store/embeddedGroupStore.js';
import { groupStoreContract } from '@roomwire/testing/contracts/groupStoreContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';

const openOnFiles = async (options: GroupStoreOptions = {}) => {
  const folder = await temporaryFolder();
  const file = (name: string): string => join(folder.path, name);
  return {
    ...(await reopenable(
      () => openEmbeddedGroupStore({ file }, options),
      () => folder.remove(),
    )),
    path: file('groups.lmdb'),
  };
};

groupStoreContract('files', () => openOnFiles());

describe('worker groups on files', () => {
  const group = { topic: 't', sinceMs: 0, undone: [], done: [], place: 'x' };

  it('removes what has expired when it is opened', async () => {
    const clock = new ManualClock(1_000);
    const { store, reopen, dispose } = await openOnFiles({ clock });
    await store.write({ ...group, group: 'soon', expiresAt: 2_000 });
    await store.write({ ...group, group: 'later', expiresAt: 2_001 });
    clock.set(2_000);
    const reopened = await reopen();
    expect(await reopened.load('t', 'soon')).to.equal(undefined);
    expect(await reopened.load('t', 'later')).to.include({ expiresAt: 2_001 });
    await dispose();
  });

  it('[WS-GROUP-9] removes what expires while it is open, and not what was written anew', async () => {
    const clock = new ManualClock(1_000);
    const { store, dispose } = await openOnFiles({ clock, expiryEveryMs: 1 });
    for (const name of ['anew', 'soon']) await store.write({ ...group, group: name, expiresAt: 2_000 });
    await store.write({ ...group, group: 'anew', expiresAt: 3_000 });
    clock.set(2_001);
    await eventually(async () => (await store.load('t', 'soon')) === undefined);
    expect(await store.load('t', 'anew')).to.include({ expiresAt: 3_000 });
    await dispose();
  });

  it('removes what an earlier version has written, without a table of the expiries', async () => {
    const clock = new ManualClock(1_000);
    const { store, reopen, dispose, path } = await openOnFiles({ clock, expiryEveryMs: 1 });
    await store.write({ ...group, group: 'soon', expiresAt: 2_000 });
    await store.close();
    const file = openLmdb({ path, overlappingSync: false });
    await file.openDB('expiries', { encoding: 'ordered-binary' }).drop();
    await file.close();
    const reopened = await reopen();
    expect(await reopened.load('t', 'soon')).to.include({ expiresAt: 2_000 });
    clock.set(2_001);
    await eventually(async () => (await reopened.load('t', 'soon')) === undefined);
    await dispose();
  });
});
