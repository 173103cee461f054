import { readdir } from 'node:fs/promises';
import { expect } from 'chai';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import type { Config } from '../../src/config/config.js';
import { configIn, opened, restoredFrom } from '../support/backups.js';

const published = { key: 'k', digest: 'd', messageId: 'm', at: Date.now() };

describe('the ids of publishes on files', () => {
  let folder: TemporaryFolder;

  beforeEach(async () => void (folder = await temporaryFolder()));
  afterEach(() => folder.remove());

  /** Under another message id. */
  const publishAgain = (config: Config) =>
    opened(config, async (adapters) => {
      const ids = await adapters.publishIds();
      return ids.claim([{ ...published, messageId: 'another' }]);
    });

  beforeEach(() =>
    opened(configIn(folder, 'used'), async (adapters) => {
      const ids = await adapters.publishIds();
      await ids.claim([published]);
      await ids.sent([published]);
    }),
  );

  it('are in a backup, and are restored', async () => {
    const restored = await restoredFrom(folder, configIn(folder, 'used'));
    expect(await readdir(restored.dataDir)).to.include('publish-ids.lmdb');
    expect(await publishAgain(restored)).to.eql([{ kind: 'sent', messageId: 'm', at: published.at }]);
  });

  it('hold for as long as the configuration says', async () => {
    const config = configIn(folder, 'used');
    const [found] = await publishAgain(config);
    expect(found).to.include({ kind: 'sent' });
    const short = configIn(folder, 'short', { ROOMWIRE_DEDUPLICATION_SECONDS: '1' });
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
