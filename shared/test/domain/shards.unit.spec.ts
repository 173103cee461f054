import { expect } from 'chai';
import { shardCount, shardOf } from '../../src/domain/shards.js';

describe('the shard of a room', () => {
  it('never changes: what is stored by shard is found by the next release', () => {
    expect(['', 'a', 'room/scope', 'ü'].map(shardOf)).to.deep.equal([25, 32, 45, 48]);
  });

  it('is one of all of them, each for about as many rooms', () => {
    const counts = Array.from({ length: shardCount }, () => 0);
    for (let room = 0; room < 6_400; room += 1) {
      const shard = shardOf(`00000000-0000-4000-8000-${String(room).padStart(12, '0')}/`);
      counts[shard] = (counts[shard] ?? 0) + 1;
    }
    expect(Math.min(...counts)).to.be.above(50);
    expect(Math.max(...counts)).to.be.below(160);
  });
});
