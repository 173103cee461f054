import { expect } from 'chai';
import { coalesced } from '../../src/session/coalesced.js';

const settled = () => new Promise(setImmediate);

describe('a coalesced action', () => {
  it('runs once more for all calls during a run', async () => {
    const finish: (() => void)[] = [];
    const run = coalesced(() => new Promise((resolve) => finish.push(resolve)), 10);
    run('key');
    run('key');
    run('key');
    expect(finish).to.have.length(1);
    finish[0]?.();
    await settled();
    expect(finish).to.have.length(2);
    finish[1]?.();
    await settled();
    expect(finish).to.have.length(2);
    run('key');
    expect(finish).to.have.length(3);
  });

  it('separates keys', () => {
    const keys: string[] = [];
    const run = coalesced(async (key) => void keys.push(key), 10);
    run('a');
    run('b');
    expect(keys).to.deep.equal(['a', 'b']);
  });

  it('retries after a failure', async () => {
    let attempts = 0;
    await new Promise<void>((resolve) => {
      const run = coalesced(async () => {
        if (++attempts < 3) throw new Error('The engine is away');
        resolve();
      }, 1);
      run('key');
    });
    expect(attempts).to.equal(3);
  });
});
