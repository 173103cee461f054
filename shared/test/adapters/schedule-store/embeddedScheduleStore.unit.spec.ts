import { join } from 'node:path';
import { expect } from 'chai';
import { EngineUnavailable } from '../../../src/ports/errors.js';
import { rejectionOf } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { openEmbeddedScheduleStore } from '../../../src/adapters/schedule-store/embeddedScheduleStore.js';
import { scheduleOf, scheduleStoreContract } from '@roomwire/testing/contracts/scheduleStoreContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';

const openOnFiles = async () => {
  const folder = await temporaryFolder();
  const open = () => openEmbeddedScheduleStore({ file: (name) => join(folder.path, name) });
  return reopenable(open, () => folder.remove());
};

scheduleStoreContract('files', openOnFiles);

describe('scheduled publishes in an LMDB file', () => {
  it('are left where the store is closed while they are removed', async () => {
    const { store, reopen, dispose } = await openOnFiles();
    await store.add(Array.from({ length: 300 }, (_, n) => scheduleOf(n)));
    const { publish } = scheduleOf(0);
    const removing = rejectionOf(store.removeOf([publish.projectId]));
    await store.close();
    expect(await removing).to.be.instanceOf(EngineUnavailable);
    expect((await (await reopen()).held(publish.projectId)).messages).to.be.above(0);
    await dispose();
  });

  it('reject a removal when it is closed', async () => {
    const { store, dispose } = await openOnFiles();
    await store.close();
    expect(await rejectionOf(store.removeOf(['r']))).to.be.instanceOf(EngineUnavailable);
    await dispose();
  });
});
