import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { knownFaults } from '../src/known-faults/knownFaults.js';
import { edited } from '../src/known-faults/loadHooks.js';

/** The root of the repository, from the built test. */
const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('the known faults', () => {
  for (const [name, { edits }] of Object.entries(knownFaults))
    it(`of ${name} is a change of the code as it is`, async () => {
      for (const edit of edits) {
        const source = await readFile(`${root}${edit.module}`, 'utf8');
        expect(edited(edit.module, source, [edit])).not.to.equal(source);
      }
    });
});
