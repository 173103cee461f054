import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { backUp } from '../../src/backup/backup.js';
import { restore } from '../../src/backup/restore.js';
import type { Adapters } from '../../src/engines/adapters.js';
import { configIn, opened } from '../support/backups.js';

const onProgress = (): void => undefined;

describe('a restore that was interrupted', () => {
  let folder: TemporaryFolder;

  beforeEach(async () => void (folder = await temporaryFolder()));
  afterEach(() => folder.remove());

  const backupOf = async (name: string, use: (adapters: Adapters) => Promise<unknown>): Promise<string> => {
    const used = configIn(folder, name);
    const backup = join(folder.path, `backup of ${name}`);
    await opened(used, use);
    await opened(used, (adapters) => backUp(backup, { config: used, adapters, onProgress }));
    return backup;
  };

  it('leaves nothing to one of another backup', async () => {
    const later = await backupOf('later', async (adapters) => [await adapters.log(), await adapters.jobs()]);
    const earlier = await backupOf('earlier', (adapters) => adapters.log());
    const restored = configIn(folder, 'restored');
    await mkdir(restored.dataDir, { mode: 0o700 });
    const left = ['jobs.lmdb', 'events.lmdb'];
    for (const name of left) await copyFile(join(later, name), join(restored.dataDir, name));
    for (const name of ['jobs.lmdb-lock', 'events.lmdb-lock', 'restore.unfinished'])
      await writeFile(join(restored.dataDir, name), '', { mode: 0o600 });
    await opened(restored, (adapters) => restore(earlier, { config: restored, adapters, onProgress }));
    const files = (await readdir(restored.dataDir)).filter((name) => !name.startsWith('owner.lmdb'));
    expect(files).to.eql(['events.lmdb']);
  });
});
