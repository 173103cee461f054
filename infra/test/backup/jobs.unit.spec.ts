import { expect } from 'chai';
import { groupOf, jobsFrom, seqsOf, shard } from '@roomwire/testing/contracts/job-store/storedJobs';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { configIn, opened, restoredFrom } from '../support/backups.js';

describe('the jobs of worker groups on files', () => {
  let folder: TemporaryFolder;

  beforeEach(async () => void (folder = await temporaryFolder()));
  afterEach(() => folder.remove());

  it('are in a backup, and are restored for an owner whose terms begin anew', async () => {
    await opened(configIn(folder, 'used'), async (adapters) => {
      const jobs = await adapters.jobs();
      await jobs.take(shard, 57);
      await jobs.write(groupOf('g'), 57);
      await jobs.commit(shard, 57, [{ groupId: 'g', add: jobsFrom(1, 300), settled: [7] }]);
    });
    const restored = await restoredFrom(folder, configIn(folder, 'used'));
    await opened(restored, async (adapters) => {
      const jobs = await adapters.jobs();
      const { groups } = await jobs.take(shard, 1);
      expect(groups[0]).to.include({ groupId: 'g', depth: 299, lastSeq: 300 });
      expect(await seqsOf(jobs, 'g')).to.have.length(299);
    });
  });
});
