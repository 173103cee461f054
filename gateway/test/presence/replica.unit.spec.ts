import fc from 'fast-check';
import { expect } from 'chai';
import { PresenceMemory } from '../../src/presence/presenceMemory.js';
import { PresenceTable, type KnownPresence } from '../../src/presence/presenceTable.js';
import { ReceivedSequences } from '../../src/presence/replica.js';

describe('the received sequence numbers', () => {
  it('are complete up to the first gap', () => {
    const received = new ReceivedSequences();
    for (const sequence of [1, 2, 4, 5]) received.add(sequence);
    expect(received.hasAllUpTo(2)).to.equal(true);
    expect(received.hasAllUpTo(3)).to.equal(false);
    received.add(3);
    expect(received.hasAllUpTo(5)).to.equal(true);
  });

  it('count duplicates once', () => {
    const received = new ReceivedSequences();
    expect([1, 1, 3, 3].map((sequence) => received.add(sequence))).to.deep.equal([true, false, true, false]);
  });

  it('start again with a snapshot, whichever arrives first', () => {
    const received = new ReceivedSequences();
    for (const sequence of [90, 100, 101]) received.add(sequence);
    received.startAt(100);
    expect(received.hasAllUpTo(101)).to.equal(true);
    expect(received.add(95), 'of before').to.equal(false);
    received.startAt(50);
    expect(received.hasAllUpTo(101), 'an older account').to.equal(true);
  });

  it('are complete exactly when all have arrived, in any order', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray([1, 2, 3, 4, 5, 6, 7, 8]),
        fc.integer({ min: 1, max: 8 }),
        (came, upTo) => {
          const received = new ReceivedSequences();
          for (const sequence of came) received.add(sequence);
          const isComplete = Array.from({ length: upTo }, (_, at) => at + 1).every((one) =>
            came.includes(one),
          );
          expect(received.hasAllUpTo(upTo)).to.equal(isComplete);
        },
      ),
      { seed: 6, numRuns: 500 },
    );
  });
});

const room = 'project/app/_/room';

let sequence = 0;
const known = (fields: Partial<KnownPresence> = {}): KnownPresence => ({
  gatewayId: 'g',
  connection: 1,
  room,
  actorTokenId: 'ann',
  presence: Uint8Array.of(0x80),
  joinedAt: 100,
  rank: 1,
  sequence: ++sequence,
  ...fields,
});

const other = Uint8Array.of(0x81, 0x01, 0x02);

describe('the table of presences', () => {
  let table: PresenceTable;

  beforeEach(() => (table = new PresenceTable(new PresenceMemory(1e9))));

  it('turns changes into a join, an update and a leave, and ignores changes without effect', () => {
    expect(table.put(known())?.event).to.equal('join');
    expect(table.put(known())).to.equal(undefined);
    expect(table.put(known({ rank: 2, presence: other }))).to.deep.include({
      event: 'update',
      presence: other,
    });
    expect(table.remove(known())?.event).to.equal('leave');
    expect(table.remove(known())).to.equal(undefined);
    expect(table.entries(room)).to.deep.equal([]);
    expect(table.roomsIn('project/app/_')).to.deep.equal([]);
  });

  it('shows the announcement of highest rank, in any order of arrival', () => {
    const [low, high] = [known({ rank: 1 }), known({ connection: 2, rank: 2, presence: other })];
    for (const order of [
      [low, high],
      [high, low],
    ]) {
      table = new PresenceTable(new PresenceMemory(1e9));
      for (const one of order) table.put(one);
      expect(table.entries(room)).to.deep.equal([{ actorTokenId: 'ann', presence: other, joinedAt: 100 }]);
    }
    expect(table.remove(high)).to.deep.include({ event: 'update', presence: low.presence });
  });

  it('chooses the same one when two gateways used the same rank', () => {
    const pair = [known({ gatewayId: 'a' }), known({ gatewayId: 'b', presence: other })];
    for (const order of [pair, [...pair].reverse()]) {
      table = new PresenceTable(new PresenceMemory(1e9));
      for (const one of order) table.put(one);
      expect(table.entries(room)[0]?.presence).to.equal(other);
    }
  });

  it('has the time since which the first of the connections has been present', () => {
    table.put(known({ joinedAt: 200 }));
    table.put(known({ connection: 2, joinedAt: 100 }));
    expect(table.entries(room)[0]?.joinedAt).to.equal(100);
  });

  it('removes everything of a gateway, or what it had sent before', () => {
    table.put(known({ sequence: 1 }));
    table.put(known({ sequence: 2, actorTokenId: 'ben', connection: 2 }));
    table.put(known({ sequence: 3, gatewayId: 'h', actorTokenId: 'cem' }));
    expect(table.removeOf('g', 2).map(({ actorTokenId }) => actorTokenId)).to.deep.equal(['ann']);
    expect(table.removeOf('g').map(({ actorTokenId }) => actorTokenId)).to.deep.equal(['ben']);
    expect(table.removeOf('g')).to.deep.equal([]);
    expect(table.entries(room).map(({ actorTokenId }) => actorTokenId)).to.deep.equal(['cem']);
  });

  it('keeps a moving connection in both rooms until it has left the first', () => {
    const den = 'project/app/_/den';
    table.put(known());
    table.put(known({ room: den }));
    expect([...table.roomsIn('project/app/_')].sort()).to.deep.equal([den, room]);
    table.remove(known());
    expect(table.roomsIn('project/app/_')).to.deep.equal([den]);
    expect(table.removeOf('g')).to.have.length(1);
  });
});
