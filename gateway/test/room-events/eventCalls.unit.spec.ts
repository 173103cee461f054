import { decode, encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { eventBody } from '../../src/room-events/eventCalls.js';
import type { WaitingEvent } from '../../src/room-events/roll.js';

const place = {
  ...{ organizationId: 'o', projectId: 'p', appId: 'a', roomId: 'r', roomSlug: 'lobby' },
  room: 'p/desk-1a2b/_/lobby',
  scope: null,
};
const at = '2026-11-26T01:02:03.004Z';
const joined: WaitingEvent = {
  ...{ id: 'call', sequence: 17, event: 'joined', actorTokenId: 'ann' },
  ...{ presence: encode({ status: 'online' }), at: Date.parse(at) },
};
const told = {
  ...{ appId: 'a', roomId: 'r', roomSlug: 'lobby', scope: null, event: 'joined', actorTokenId: 'ann' },
  ...{ presence: { status: 'online' }, at, sequence: 17 },
};

describe('the body of a room event', () => {
  it('[HOOK-EVENT-4] says who came, where and when', () => {
    expect(decode(eventBody(place, joined))).to.deep.equal(told);
    expect(decode(eventBody(place, joined, 1))).to.deep.equal(told);
  });

  it('[HOOK-EVENT-4] has neither actor nor presence where it is about the room', () => {
    const occupied: WaitingEvent = { ...joined, event: 'occupied', actorTokenId: null, presence: null };
    const about = { ...told, event: 'occupied', actorTokenId: null, presence: null };
    expect(decode(eventBody(place, occupied))).to.deep.equal(about);
  });

  it('[HOOK-EVENT-4] also names the app and the call in version 2, and neither a topic nor a position', () => {
    const more = { appSlug: 'desk-1a2b', topic: null, id: 'call', position: null };
    expect(decode(eventBody(place, joined, 2))).to.deep.equal({ ...told, ...more });
  });
});
