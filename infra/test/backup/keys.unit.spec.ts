import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { backUp } from '../../src/backup/backup.js';
import type { Config } from '../../src/config/config.js';
import { configIn, opened } from '../support/backups.js';

describe('the keys in a backup', () => {
  let folder: TemporaryFolder;

  beforeEach(async () => void (folder = await temporaryFolder()));
  afterEach(() => folder.remove());

  /** What `meanwhile` does happens after the data folder was copied. */
  const backedUp = (used: Config, meanwhile: () => Promise<void>): Promise<string[]> => {
    const { readModels } = used.engines;
    const keptDocuments = { read: () => meanwhile().then(() => 0), write: () => Promise.resolve(0) };
    const config = { ...used, engines: { ...used.engines, readModels: { ...readModels, keptDocuments } } };
    const target = join(folder.path, 'backup');
    return opened(used, async (adapters) => {
      await backUp(target, { config, adapters, onProgress: () => undefined });
      return readdir(target);
    });
  };

  it('are those of its events: it fails where the keys were rotated meanwhile', async () => {
    const used = configIn(folder, 'used');
    await opened(used, (adapters) => adapters.log());
    const secrets = join(used.dataDir, 'secrets.json');
    await writeFile(secrets, '{"keys":["old"]}');
    const rotate = (): Promise<void> => writeFile(secrets, '{"keys":["new","old"]}');
    const refusal = await backedUp(used, rotate).catch((error: Error) => error.message);
    expect(refusal).to.equal('The keys were rotated meanwhile: run it again');
    expect(await readdir(join(folder.path, 'backup'))).not.to.include('backup.json');
  });

  it('may stay as they are', async () => {
    const used = configIn(folder, 'used');
    await opened(used, (adapters) => adapters.log());
    await writeFile(join(used.dataDir, 'secrets.json'), '{"keys":["old"]}');
    expect(await backedUp(used, () => Promise.resolve())).to.include.members(['secrets.json', 'backup.json']);
  });
});
