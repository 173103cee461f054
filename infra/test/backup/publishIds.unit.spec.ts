import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { backUp } from '../../src/backup/backup.js';
import { restore } from '../../src/backup/restore.js';
import { readConfig, type Config } from '../../src/config/config.js';
import { withAdapters, type Adapters } from '../../src/engines/adapters.js';

const published = { key: 'k', digest: 'd', messageId: 'm', at: Date.now() };

describe('the ids of publishes on files', () => {
  let folder: TemporaryFolder;

  beforeEach(async () => void (folder = await temporaryFolder()));
  afterEach(() => folder.remove());

  const configOf = (name: string, settings = {}): Config =>
    readConfig({ ROOMWIRE_DATA_DIR: join(folder.path, name), ...settings });
  const opened = <T>(config: Config, use: (adapters: Adapters) => Promise<T>): Promise<T> =>
    withAdapters(config, createRecordingLogger().logger, use);

  /** Under another message id. */
  const publishAgain = (config: Config) =>
    opened(config, async (adapters) => {
      const ids = await adapters.publishIds();
      return ids.claim([{ ...published, messageId: 'another' }]);
    });

  beforeEach(() =>
    opened(configOf('used'), async (adapters) => {
      const ids = await adapters.publishIds();
      await ids.claim([published]);
      await ids.sent([published]);
    }),
  );

  it('are in a backup, and are restored', async () => {
    const backup = join(folder.path, 'backup');
    const onProgress = (): void => undefined;
    await opened(configOf('used'), (adapters) =>
      backUp(backup, { config: configOf('used'), adapters, onProgress }),
    );
    const restored = configOf('restored');
    await opened(restored, (adapters) => restore(backup, { config: restored, adapters, onProgress }));
    expect(await readdir(restored.dataDir)).to.include('publish-ids.lmdb');
    expect(await publishAgain(restored)).to.eql([{ kind: 'sent', messageId: 'm', at: published.at }]);
  });

  it('hold for as long as the configuration says', async () => {
    const config = configOf('used');
    const [found] = await publishAgain(config);
    expect(found).to.include({ kind: 'sent' });
    const short = configOf('short', { ROOMWIRE_DEDUPLICATION_SECONDS: '1' });
    const old = { ...published, at: Date.now() - 1_001 };
    await opened(short, async (adapters) => {
      const ids = await adapters.publishIds();
      await ids.claim([old]);
      await ids.sent([old]);
      expect(await ids.claim([{ ...published, messageId: 'another' }])).to.eql([
        { kind: 'claimed', messageId: 'another', at: published.at, isRepeated: false },
      ]);
    });
  });
});
