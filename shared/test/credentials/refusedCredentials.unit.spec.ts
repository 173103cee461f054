import { expect } from 'chai';
import { ManualClock } from '@roomwire/testing/fakes/manualClock';
import { systemRandom } from '../../src/adapters/system/systemRandom.js';
import { RefusedCredentials } from '../../src/credentials/refusedCredentials.js';
import { limitTable } from '../../src/wire/limits/limitTable.js';

describe('refused credentials', () => {
  let clock: ManualClock;
  let reached: string[];
  let refused: RefusedCredentials<string>;

  beforeEach(() => {
    clock = new ManualClock();
    reached = [];
    const limits = { reached: (limit: string) => void reached.push(limit) };
    refused = new RefusedCredentials({ clock, random: systemRandom, limits, brieflyMs: 1_000 });
  });

  it('are known by the whole credential, for their time', () => {
    refused.add('key.wrong', 'no', 'always', refused.changes);
    refused.add('key.expired', 'no', 'briefly', refused.changes);
    expect(refused.find('key.right')).to.equal(undefined);
    clock.pass(999);
    expect([refused.find('key.wrong'), refused.find('key.expired')]).to.deep.equal(['no', 'no']);
    clock.pass(1);
    expect([refused.find('key.wrong'), refused.find('key.expired')]).to.deep.equal(['no', undefined]);
    clock.pass(600_000);
    expect(refused.find('key.wrong')).to.equal(undefined);
  });

  it('may have become good with a change, but for those that never can', () => {
    refused.add('key.wrong', 'no', 'always', refused.changes);
    refused.add('key.disabled', 'no', 'briefly', refused.changes);
    refused.changed();
    expect([refused.find('key.wrong'), refused.find('key.disabled')]).to.deep.equal(['no', undefined]);
  });

  it('are not remembered when something changed while they were checked', () => {
    const before = refused.changes;
    refused.changed();
    refused.add('key.disabled', 'no', 'briefly', before);
    expect(refused.find('key.disabled')).to.equal(undefined);
  });

  it('are forgotten, those refused longest ago first, beyond their number', () => {
    const most = limitTable.refusedCredentials.value;
    for (let n = 0; n <= most; n++) refused.add(`key-${n}`, 'no', 'always', 0);
    expect(refused.find('key-0')).to.equal(undefined);
    expect(refused.find('key-1')).to.equal('no');
    expect(reached).to.deep.equal(['refusedCredentials']);
  });

  it('are not in the memory of the process', () => {
    refused.add('key.very-secret', 'no', 'always', 0);
    const { entries } = refused as unknown as { entries: ReadonlyMap<string, unknown> };
    expect(JSON.stringify([...entries])).not.to.include('secret');
  });
});
