import { expect } from 'chai';
import { scheduleOf } from '@roomwire/testing/contracts/scheduleStoreContract';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { configIn, opened, restoredFrom } from '../support/backups.js';

const schedule = scheduleOf(1, { scheduledId: 's1', shard: 3 });

describe('publishes for later on files', () => {
  let folder: TemporaryFolder;

  beforeEach(async () => void (folder = await temporaryFolder()));
  afterEach(() => folder.remove());

  it('[WS-LATER-2] are in a backup, and are due where it is restored', async () => {
    await opened(configIn(folder, 'used'), async (adapters) => (await adapters.schedules()).add([schedule]));
    const restored = await restoredFrom(folder, configIn(folder, 'used'));
    const due = await opened(restored, async (adapters) => (await adapters.schedules()).due([3], 9_000, 10));
    expect(due.map(({ scheduledId }) => scheduledId)).to.eql(['s1']);
  });
});
