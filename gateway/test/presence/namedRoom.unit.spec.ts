import { expect } from 'chai';
import type { TopicAccess } from '../../src/access/topicAccess.js';
import { namedRoom } from '../../src/presence/namedRoom.js';

const stay = (app: string, room: string, roomId: string) => ({
  roomId,
  access: { room: `p/${app}/_/${room}` } as TopicAccess,
});

describe('[WS-PRES-16] the room that a connection leaves', () => {
  const stays = [stay('one', 'hall', 'hall'), stay('two', 'hall', 'two/hall'), stay('two', 'bar', 'two/bar')];

  for (const [roomId, room] of [
    ['hall', 'p/one/_/hall'],
    ['one/hall', 'p/one/_/hall'],
    ['two/hall', 'p/two/_/hall'],
    ['bar', 'p/two/_/bar'],
    ['one/bar', undefined],
    ['attic', undefined],
    ['all', undefined],
    ['o/hall', undefined],
    ['', undefined],
  ] as const)
    it(`is ${room ?? 'none'} by the name '${roomId}'`, () => expect(namedRoom(stays, roomId)).to.equal(room));

  it('is none by a slug that two of its rooms have', () => {
    expect(namedRoom([stay('one', 'hall', 'one/hall'), stay('two', 'hall', 'two/hall')], 'hall')).to.equal(
      undefined,
    );
  });

  it('is the one where it is and counts', () => {
    const both = [stay('one', 'hall', 'one/hall'), stay('one', 'hall', 'one/hall')];
    expect(namedRoom(both, 'hall')).to.equal('p/one/_/hall');
  });
});
