import { expect } from 'chai';
import { createGroupCommit } from '../../../src/adapters/lmdb/groupCommit.js';
import { rejectionOf } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';

const diskError = new Error('The disk failed');

/** A disk on which each transaction waits for `sync`, or for `fail`. */
const diskUnderTest = () => {
  const groups: string[][] = [];
  let settle: ((error?: Error) => void) | undefined;
  const transact = async <T>(work: () => T): Promise<T> => {
    const result = work();
    const error = await new Promise<Error | undefined>((resolve) => (settle = resolve));
    if (error) throw error;
    return result;
  };
  const write = (items: readonly string[]) => {
    groups.push([...items]);
    return items.map((item) => `written ${item}`);
  };
  let committed = 0;
  const commits = createGroupCommit({ transact, write, committed: () => (committed += 1) });
  return {
    ...commits,
    groups,
    sync: () => settle?.(),
    fail: () => settle?.(diskError),
    committed: () => committed,
  };
};

describe('group commit', () => {
  it('commits what arrives during a sync in one next transaction', async () => {
    const disk = diskUnderTest();
    const first = disk.submit('a');
    const others = ['b', 'c', 'd'].map((item) => disk.submit(item));
    expect(disk.groups).to.deep.equal([['a']]);
    disk.sync();
    expect(await first).to.equal('written a');
    await new Promise(setImmediate);
    expect(disk.groups).to.deep.equal([['a'], ['b', 'c', 'd']]);
    disk.sync();
    expect(await Promise.all(others)).to.deep.equal(['written b', 'written c', 'written d']);
    expect(disk.committed()).to.equal(2);
  });

  it('limits the bytes of a transaction, but accepts one item of any size', async () => {
    const groups: number[][] = [];
    const commits = createGroupCommit<number, void>({
      transact: async (work) => work(),
      write: (items) => {
        groups.push([...items]);
        return items.map(() => undefined);
      },
      committed: () => undefined,
      bytesOf: (megabytes) => megabytes * 1024 * 1024,
    });
    await Promise.all([9, 3, 3, 2, 1, 20, 8].map((megabytes) => commits.submit(megabytes)));
    expect(groups).to.deep.equal([[9], [3, 3, 2], [1], [20], [8]]);
  });

  it('settles nothing before the sync', async () => {
    const disk = diskUnderTest();
    let settled = false;
    const submitted = disk.submit('a').then(() => (settled = true));
    await new Promise(setImmediate);
    expect(settled).to.equal(false);
    expect(disk.committed()).to.equal(0);
    disk.sync();
    await submitted;
  });

  it('rejects a group that could not be committed, and continues with the next', async () => {
    const disk = diskUnderTest();
    const first = rejectionOf(disk.submit('a'));
    const second = disk.submit('b');
    disk.fail();
    expect(await first).to.equal(diskError);
    disk.sync();
    expect(await second).to.equal('written b');
    expect(disk.committed()).to.equal(1);
  });

  it('rejects all pending items when a transaction cannot begin', async () => {
    let broken = true;
    const commits = createGroupCommit<string, string>({
      transact: async (work) => {
        if (broken) throw diskError;
        return work();
      },
      write: (items) => [...items],
      committed: () => undefined,
    });
    const rejections = await Promise.all(['a', 'b'].map((item) => rejectionOf(commits.submit(item))));
    expect(rejections).to.deep.equal([diskError, diskError]);
    broken = false;
    expect(await commits.submit('c')).to.equal('c');
  });

  it('is idle when everything is settled', async () => {
    const disk = diskUnderTest();
    await disk.idle();
    let settled = 0;
    const submitted = ['a', 'b'].map((item) => disk.submit(item).then(() => (settled += 1)));
    const idle = disk.idle().then(() => settled);
    disk.sync();
    await submitted[0];
    disk.sync();
    expect(await idle).to.equal(2);
  });
});
