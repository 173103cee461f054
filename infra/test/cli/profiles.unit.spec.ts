import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { profilesFile, readProfile, writeProfile } from '../../src/cli/profiles.js';

describe('profiles', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const former = process.env['XDG_CONFIG_HOME'];

  beforeEach(async () => {
    folder = await temporaryFolder();
    process.env['XDG_CONFIG_HOME'] = folder.path;
  });
  afterEach(async () => {
    if (former === undefined) delete process.env['XDG_CONFIG_HOME'];
    else process.env['XDG_CONFIG_HOME'] = former;
    await folder.remove();
  });

  it('are kept by name, in a file that its owner alone can read', async () => {
    writeProfile('default', { url: 'http://a', apiKey: 'one' });
    writeProfile('staging', { url: 'http://b', session: 'two' });
    writeProfile('default', { url: 'http://a', apiKey: 'three' });
    expect(readProfile('default')).to.eql({ url: 'http://a', apiKey: 'three' });
    expect(readProfile('staging')).to.eql({ url: 'http://b', session: 'two' });
    expect((await stat(profilesFile())).mode & 0o777).to.equal(0o600);
    expect(await readdir(dirname(profilesFile()))).to.eql(['profiles.json']);
  });

  it('are forgotten one at a time', () => {
    writeProfile('default', { url: 'http://a' });
    writeProfile('staging', { url: 'http://b' });
    writeProfile('default', undefined);
    expect([readProfile('default'), readProfile('staging')]).to.eql([undefined, { url: 'http://b' }]);
  });

  it('are none where nothing was kept, and none of the names that every object has', () => {
    writeProfile('default', undefined);
    expect([readProfile('default'), readProfile('toString')]).to.eql([undefined, undefined]);
  });

  it('are not overwritten where the file is damaged', async () => {
    await mkdir(dirname(profilesFile()), { recursive: true });
    await writeFile(profilesFile(), '{');
    expect(() => readProfile('default')).to.throw('cannot be read');
    expect(() => writeProfile('default', { url: 'http://a' })).to.throw('cannot be read');
  });
});
