import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { itIsAPackage } from './packageRules.js';
import { pack, patienceMs, projectWith, run, type Packed } from './packing.js';

describe('the packed library for backends', function () {
  this.timeout(patienceMs);
  let folder: TemporaryFolder;
  let packed: Packed;

  before(async () => {
    folder = await temporaryFolder();
    packed = await pack('sdks/server', folder.path);
  });
  after(() => folder.remove());

  itIsAPackage(() => packed);

  it('is imported, and required by CommonJS', async () => {
    const project = await projectWith(join(folder.path, 'project'), packed.path);
    const programs = {
      'main.mjs': `import { createToken } from '@roomwire/server'; console.log(typeof createToken);`,
      'main.cjs': `console.log(typeof require('@roomwire/server').createToken);`,
    };
    for (const [name, text] of Object.entries(programs)) {
      await writeFile(join(project, name), text);
      const { stdout } = await run(process.execPath, [name], { cwd: project });
      expect(stdout, name).to.equal('function\n');
    }
  });
});
