import { expect } from 'chai';
import type { NewSchedule } from '@roomwire/shared/ports/scheduleStore';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { configIn, opened, restoredFrom } from '../support/backups.js';

const schedule: NewSchedule = {
  publish: {
    ...{ scheduledId: 's1', shard: 3, deliverAt: 5_000, place: 'p1', createdAt: 1_000 },
    ...{ organizationId: 'o', projectId: 'p', appId: 'a', roomId: 'r', scope: null, actorTokenId: '' },
    ...{ topic: 'app/room/topic', filters: [], retain: false, qos: 1, bytes: 1 },
  },
  data: Uint8Array.of(0xc0),
};

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
