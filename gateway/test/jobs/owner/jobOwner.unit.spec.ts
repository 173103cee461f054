import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedJobStore } from '@roomwire/shared/adapters/job-store/embeddedJobStore';
import type { JobStore } from '@roomwire/shared/ports/jobStore';
import type { ShardOwner } from '@roomwire/shared/ports/shardLeases';
import { shard } from '@roomwire/testing/contracts/job-store/storedJobs';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { JobOwner } from '../../../src/jobs/owner/jobOwner.js';
import { ownerDeps } from '../../support/openShard.js';

describe('the owner of shards', () => {
  let folder: TemporaryFolder;
  let store: JobStore;
  let owner: JobOwner;
  let leased: ShardOwner;
  let others: readonly string[];

  beforeEach(async () => {
    folder = await temporaryFolder();
    store = await openEmbeddedJobStore({ file: (file) => join(folder.path, file) });
    others = ['slow', 'dead'];
    owner = new JobOwner({
      ...{ ...ownerDeps(), store },
      leases: {
        own: (_work, _shards, leasing) => {
          leased = leasing;
          return { close: async () => leased.lost(shard) };
        },
        owned: () => new Map(),
        close: async () => undefined,
      },
      others: () => others,
      owned: () => undefined,
    });
    owner.start();
    leased.gained(shard, 1);
  });
  afterEach(async () => {
    await owner.close();
    await store.close();
    await folder.remove();
  });

  it('[WS-JOB-4] waits for the members of a process that lives, and for those of one that has died no longer', async () => {
    const owned = owner.shard(shard);
    await owned?.ready;
    owned?.gather(others);
    owned?.gathering.heard('slow');
    expect(owned?.gathering.isComplete).to.equal(false);
    others = ['slow'];
    await eventually(async () => owned?.gathering.isComplete === true, { what: 'nobody is missing' });
  });
});
