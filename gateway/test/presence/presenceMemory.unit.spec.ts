import { expect } from 'chai';
import { PresenceMemory } from '../../src/presence/presenceMemory.js';

const presence = (connection: number, room: string, bytes: number, gatewayId = 'g') => ({
  ...{ gatewayId, connection, room: `p/app/_/${room}`, actorTokenId: `actor-${connection}` },
  ...{ presence: new Uint8Array(bytes), joinedAt: 0, rank: 1 },
});

describe('the memory of presences', () => {
  it('[WS-MEM-5] is counted by connection, in all of its rooms', () => {
    const memory = new PresenceMemory(20_000);
    const many = ['one', 'two', 'three', 'four'].map((room) => presence(1, room, 2_000));
    const large = presence(2, 'one', 10_000);
    for (const one of [...many, large]) memory.add(one);
    expect(memory.bytes).to.equal(5 * 1_500 + 18_000);
    expect(memory.excessive).to.deep.equal({ gatewayId: 'g', connection: 1 });
    for (const one of many.slice(1)) memory.remove(one);
    expect(memory.excessive).to.equal(undefined);
    for (const one of [...many, large]) memory.remove(one);
    expect(memory.bytes).to.equal(0);
  });

  it('[WS-MEM-5] tells the connections of two gateways apart', () => {
    const memory = new PresenceMemory(1_000);
    memory.add(presence(1, 'one', 100, 'a'));
    memory.add(presence(1, 'two', 200, 'b'));
    expect(memory.excessive).to.deep.equal({ gatewayId: 'b', connection: 1 });
  });

  it('[WS-MEM-5] admits a move for what it takes more than the rooms that are left', () => {
    const memory = new PresenceMemory(20_000);
    const [one, two] = [presence(1, 'one', 3_000), presence(1, 'two', 3_000)];
    for (const known of [one, two]) memory.add(known);
    const next = presence(1, 'three', 4_000);
    expect(memory.admits(next, [])).to.equal(false);
    expect(memory.admits(next, [one])).to.equal(true);
    expect(memory.admits(presence(1, 'three', 9_000), [one, two])).to.equal(false);
    expect(memory.admits(presence(1, 'three', 7_000), [one, two])).to.equal(true);
  });
});
