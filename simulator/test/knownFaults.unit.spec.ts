import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { knownFaults } from '../src/known-faults/knownFaults.js';
import { edited } from '../src/known-faults/loadHooks.js';
import { run, timeoutMs } from './support/run.js';

/** From the built test. */
const root = fileURLToPath(new URL('../../..', import.meta.url));
describe('the known faults', () => {
  for (const [name, { edits }] of Object.entries(knownFaults))
    it(`of ${name} are changes of the code as it is`, async () => {
      for (const edit of edits) {
        const source = await readFile(`${root}${edit.module}`, 'utf8');
        expect(edited(edit.module, source, [edit])).not.to.equal(source);
      }
    });

  for (const name of ['own-messages', 'early-published', 'unsettled-claim', 'held-twice'])
    it(`of ${name} are found`, () => {
      const { status, stdout } = run('--seed', '1', '--fault', name);
      expect(status).to.equal(1);
      expect(knownFaults[name]?.rules.some((rule) => stdout.includes(`  ${rule}: `))).to.equal(true);
    }).timeout(timeoutMs);
});
