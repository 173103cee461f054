import { join } from 'node:path';
import { expect } from 'chai';
import { groupOf, jobsFrom, seqsOf, shard } from '@roomwire/testing/contracts/job-store/storedJobs';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { backUp } from '../../src/backup/backup.js';
import { restore } from '../../src/backup/restore.js';
import { readConfig, type Config } from '../../src/config/config.js';
import { withAdapters, type Adapters } from '../../src/engines/adapters.js';

describe('the jobs of worker groups on files', () => {
  let folder: TemporaryFolder;

  beforeEach(async () => void (folder = await temporaryFolder()));
  afterEach(() => folder.remove());

  const configOf = (name: string): Config => readConfig({ ROOMWIRE_DATA_DIR: join(folder.path, name) });
  const opened = <T>(config: Config, use: (adapters: Adapters) => Promise<T>): Promise<T> =>
    withAdapters(config, createRecordingLogger().logger, use);

  it('are in a backup, and are restored for an owner whose terms begin anew', async () => {
    await opened(configOf('used'), async (adapters) => {
      const jobs = await adapters.jobs();
      await jobs.take(shard, 57);
      await jobs.write(groupOf('g'), 57);
      await jobs.commit(shard, 57, [{ groupId: 'g', add: jobsFrom(1, 300), settled: [7] }]);
    });
    const backup = join(folder.path, 'backup');
    const onProgress = (): void => undefined;
    await opened(configOf('used'), (adapters) =>
      backUp(backup, { config: configOf('used'), adapters, onProgress }),
    );
    const restored = configOf('restored');
    await opened(restored, (adapters) => restore(backup, { config: restored, adapters, onProgress }));
    await opened(restored, async (adapters) => {
      const jobs = await adapters.jobs();
      const { groups } = await jobs.take(shard, 1);
      expect(groups[0]).to.include({ groupId: 'g', depth: 299, lastSeq: 300 });
      expect(await seqsOf(jobs, 'g')).to.have.length(299);
    });
  });
});
