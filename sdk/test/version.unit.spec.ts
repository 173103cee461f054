import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { version } from '../src/version.js';

describe('the version of the client', () => {
  it('is that of its package', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      readonly version: string;
    };
    expect(version).to.equal(manifest.version);
  });
});
