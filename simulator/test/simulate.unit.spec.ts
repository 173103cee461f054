import { expect } from 'chai';
import { run, timeoutMs } from './support/run.js';

describe('a simulation', () => {
  it('passes, and happens in the same way in another process with the same seed, and in another with another', () => {
    const [shown, again] = [
      run('--seed', '8', '--seeds', '2', '--trace'),
      run('--seed', '8', '--seeds', '2'),
    ];
    const verdicts = again.stdout.match(/^seed .*$/gm) ?? [];
    expect(shown.stdout.match(/^seed .*$/gm)).to.eql(verdicts);
    for (const verdict of verdicts) expect(verdict).to.match(/^seed \d passes \(trace .*"deliveries":\d{4}/);
    const digests = verdicts.map((verdict) => /trace ([0-9a-f]{16})/.exec(verdict)?.[1]);
    expect(new Set(digests).size).to.equal(2);
    expect(shown.stdout.split('\n').length).to.be.above(20_000);
    expect([shown.status, again.status]).to.eql([0, 0]);
  }).timeout(timeoutMs);

  it('refuses options that do not exist', () => {
    expect(run('--fault', 'none')).to.include({ status: 2 });
    expect(run('--seeds', 'many')).to.include({ status: 2 });
    expect(run('--help')).to.include({ status: 0 });
  }).timeout(timeoutMs);
});
