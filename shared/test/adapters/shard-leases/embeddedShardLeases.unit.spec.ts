import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedShardLeases } from '../../../src/adapters/shard-leases/embeddedShardLeases.js';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';

describe('shards on files', () => {
  const inFolder = async (
    use: (open: (now: number) => ReturnType<typeof openEmbeddedShardLeases>) => Promise<void>,
  ) => {
    const folder = await temporaryFolder();
    try {
      await use((now) => openEmbeddedShardLeases({ file: (name) => join(folder.path, name) }, now));
    } finally {
      await folder.remove();
    }
  };

  it('are all owned by the process, in a term that grows with each start, also when the clock goes back', () =>
    inFolder(async (open) => {
      const terms: number[] = [];
      for (const now of [1_000, 5_000, 2_000]) {
        const held = new Map<number, number>();
        const leases = await open(now);
        leases.own('sweeping', 4, {
          gained: (shard, term) => void held.set(shard, term),
          lost: (shard) => void held.delete(shard),
        });
        expect([...held.keys()]).to.deep.equal([0, 1, 2, 3]);
        expect(new Set(held.values()).size).to.equal(1);
        expect(leases.owned()).to.deep.equal(new Map([['sweeping', 4]]));
        terms.push(held.get(0) as number);
        await leases.close();
        expect([held.size, leases.owned().size]).to.deep.equal([0, 0]);
      }
      expect(terms).to.deep.equal([1_000, 5_000, 5_001]);
    }));
});
