import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { readConfig } from '../../src/config/config.js';
import { checkFolder } from '../../src/doctor/folderChecks.js';

describe('what the doctor says of a data folder', () => {
  let folder: TemporaryFolder;

  beforeEach(async () => void (folder = await temporaryFolder()));
  afterEach(() => folder.remove());

  it('does not depend on files that go while it looks, as requests for a rebuild do', async () => {
    // To whoever lists the folder it is there, and to whoever looks at it, it is not.
    await symlink('gone', join(folder.path, 'rebuild.request.json'));
    const { findings } = await checkFolder(readConfig({ ROOMWIRE_DATA_DIR: folder.path }), 0);
    expect(findings).to.deep.include({ check: 'rights', status: 'ok', message: 'for its owner alone' });
  });
});
