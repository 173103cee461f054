import { expect } from 'chai';
import { Roll, type RollChange } from '../../src/room-events/roll.js';
import { encodeChanges, encodeWhole, readRoll } from '../../src/room-events/rollRecords.js';

const place = {
  ...{ organizationId: 'o', projectId: 'p', appId: 'a', roomId: 'r', roomSlug: 'lobby', room: 'p/a/_/lobby' },
  scope: null,
};
const bytes = (size: number, fill = 1) => new Uint8Array(size).fill(fill);
const changes: readonly RollChange[] = [
  { kind: 'place', place },
  { kind: 'on', actorTokenId: 'x', presence: bytes(3), joinedAt: 4 },
  { kind: 'on', actorTokenId: 'y', presence: bytes(2), joinedAt: 5 },
  { kind: 'gone', actorTokenId: 'x', at: 6 },
  ...[1, 2, 3].map((sequence): RollChange => ({
    kind: 'event',
    event: { id: `e${sequence}`, sequence, event: 'joined', actorTokenId: 'x', presence: bytes(3), at: 7 },
  })),
  { kind: 'sent', upTo: 1, at: 8 },
  { kind: 'dropped', upTo: 2 },
];

const rollOf = (made: readonly RollChange[]): Roll => {
  const roll = new Roll();
  for (const change of made) roll.apply(change);
  return roll;
};
const records = (...contents: readonly Uint8Array[]) =>
  contents.map((content, index) => ({ revision: index + 1, term: 1, content }));

describe('the records of a roll', () => {
  it('make it again, from its changes or as a whole', () => {
    const roll = rollOf(changes);
    expect(readRoll(records(encodeChanges(changes)))).to.eql(roll);
    expect(readRoll(records(...encodeWhole(roll)))).to.eql(roll);
    const halves = [changes.slice(0, 5), changes.slice(5)].map(encodeChanges);
    expect(readRoll(records(...halves))).to.eql(roll);
    expect(roll.waiting.map(({ sequence }) => sequence)).to.eql([1, 3]);
  });

  it('are in parts where it is large, of which none counts without the others', () => {
    const many = Array.from({ length: 400 }, (_, n): RollChange => ({
      kind: 'on',
      ...{ actorTokenId: `actor-${n}`, presence: bytes(16_000), joinedAt: n },
    }));
    const large = rollOf(many);
    const parts = encodeWhole(large);
    expect(parts.length).to.be.within(6, 9);
    for (const part of parts) expect(part.length).to.be.below(1_100_000);
    const before = encodeChanges(changes);
    expect(readRoll(records(before, ...parts))).to.eql(large);
    const small = rollOf(changes);
    expect(readRoll(records(before, ...parts.slice(0, -1)))).to.eql(small);
    expect(readRoll(records(before, ...parts.slice(1)))).to.eql(small);
    // Another owner went on from the records before them.
    const later = encodeChanges([{ kind: 'off', actorTokenId: 'y' }]);
    const gone = rollOf([...changes, { kind: 'off', actorTokenId: 'y' }]);
    expect(readRoll(records(before, ...parts.slice(0, 2), later))).to.eql(gone);
    expect(readRoll(records(before, ...parts.slice(0, 2), later, ...encodeWhole(gone)))).to.eql(gone);
  });

  it('say how many bytes wait, without those that have ended', () => {
    const roll = rollOf(changes);
    expect(roll.waitingBytes).to.equal(2 * 203);
    roll.apply({ kind: 'settled', upTo: 3 });
    expect([roll.waitingBytes, roll.waiting]).to.eql([0, []]);
  });
});
