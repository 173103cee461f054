import { expect } from 'chai';
import {
  comparePlaces,
  isPosition,
  placeOf,
  positionOf,
  type Place,
} from '../../../src/wire/protocol/position.js';
import { seededChance } from '@roomwire/testing/run/seededChance';

const topic = { room: 'project/app/_/room', roomId: 'room-1', accessScopeId: null, name: 'chat' };

describe('a position', () => {
  it('[WS-HIST-2] sorts as text as its place does, and says it', () => {
    const chance = seededChance(17);
    const places: Place[] = Array.from({ length: 300 }, () => ({
      epoch: Math.floor(chance.next() * 3) + 1_790_000_000_000,
      offset: Math.floor(chance.next() ** 9 * Number.MAX_SAFE_INTEGER),
      ...(chance.next() < 0.3 && { isDeletion: true }),
    }));
    const positions = places.map((place) => positionOf(topic, place));
    expect(positions.every((position) => isPosition(position) && position !== '')).to.equal(true);
    expect([...positions].sort()).to.deep.equal(
      [...places].sort(comparePlaces).map((place) => positionOf(topic, place)),
    );
    expect(positions.map((position) => placeOf(topic, position))).to.deep.equal(places);
  });

  it('[WS-HIST-5] of another topic, scope, room or address, or changed by anybody, is not known', () => {
    const position = positionOf(topic, { epoch: 1_790_000_000_000, offset: 7 });
    for (const other of [
      { name: 'news' },
      { roomId: 'room-2' },
      { accessScopeId: 'scope' },
      { room: 'renamed' },
    ])
      expect(placeOf({ ...topic, ...other }, position)).to.equal(undefined);
    for (let at = 0; at < position.length; at++)
      expect(placeOf(topic, `${position.slice(0, at)}x${position.slice(at + 1)}`)).to.equal(
        position[at] === 'x' ? position : undefined,
      );
    expect(placeOf(topic, '')).to.equal(undefined);
  });

  it('[WS-HIST-2] is of 64 letters, digits, dots, hyphens and underscores at most', () => {
    expect(['', 'a'.repeat(64), '0-._A'].every(isPosition)).to.equal(true);
    expect(['a'.repeat(65), 'a b', 'ä', 'a/b', 'a\n'].some(isPosition)).to.equal(false);
  });
});
