import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { restTypes } from './restTypes.js';

describe('the types of the REST API', () => {
  it('are those of the API as it is: `npm run generate -w sdks/server` writes them', async () => {
    const written = await readFile(new URL('../../src/rest/schema.ts', import.meta.url), 'utf8');
    expect(written === (await restTypes())).to.equal(true);
  }).timeout(30_000);
});
