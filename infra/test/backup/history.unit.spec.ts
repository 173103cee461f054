import { join } from 'node:path';
import { expect } from 'chai';
import { appendAll, epoch, historyTopic, kept } from '@roomwire/testing/contracts/history-index/keptMessages';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { backUp } from '../../src/backup/backup.js';
import { restore } from '../../src/backup/restore.js';
import { readConfig, type Config } from '../../src/config/config.js';
import { withAdapters, type Adapters } from '../../src/engines/adapters.js';

describe('the history of topics on files', () => {
  let folder: TemporaryFolder;

  beforeEach(async () => void (folder = await temporaryFolder()));
  afterEach(() => folder.remove());

  const configOf = (name: string): Config => readConfig({ ROOMWIRE_DATA_DIR: join(folder.path, name) });
  const opened = <T>(config: Config, use: (adapters: Adapters) => Promise<T>): Promise<T> =>
    withAdapters(config, createRecordingLogger().logger, use);

  it('is in a backup, and is restored; no place of a message that came after it is given again', async () => {
    const before = await opened(configOf('used'), async (adapters) => {
      const index = await adapters.historyIndex();
      const numbering = await index.partition(0);
      await index.append(0, [{ offset: 41, message: kept('m') }], { epoch, next: 42 });
      await appendAll(index, [{ offset: 7, message: kept('other', { topic: historyTopic('other') }) }]);
      return numbering;
    });
    const backup = join(folder.path, 'backup');
    const onProgress = (): void => undefined;
    await opened(configOf('used'), (adapters) =>
      backUp(backup, { config: configOf('used'), adapters, onProgress }),
    );
    const restored = configOf('restored');
    await opened(restored, (adapters) => restore(backup, { config: restored, adapters, onProgress }));
    await opened(restored, async (adapters) => {
      const index = await adapters.historyIndex();
      expect((await index.topic(historyTopic('other'))).newest?.place).to.eql({ epoch, offset: 7 });
      expect(await index.partition(1)).to.eql({ epoch, next: 8 });
      const numbering = await index.partition(0);
      expect(numbering?.next).to.equal(0);
      expect(numbering?.epoch).to.be.greaterThan(before?.epoch ?? 0);
    });
  });
});
