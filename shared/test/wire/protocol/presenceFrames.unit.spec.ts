import type { Buffer } from 'node:buffer';
import { decode, encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import {
  lobbyPresenceFrame,
  LobbySnapshot,
  presenceCountFrame,
  presenceFrame,
  presenceListFrame,
} from '../../../src/wire/protocol/presenceFrames.js';

/** What a client reads: the WebSocket header is two, four or ten bytes. */
const read = (frame: Buffer): unknown => {
  const length = frame[1] as number;
  return decode(frame.subarray(length < 126 ? 2 : length === 126 ? 4 : 10));
};

const data = { mood: 'fine', bytes: new Uint8Array([1, 2]) };
const presence = encode(data);
const entries = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    actorTokenId: `actor-${at}`,
    presence,
    joinedAt: 1_767_225_600 + at,
  }));

describe('the frames of presence', () => {
  it('[WS-PRES-5] carry the announced data unchanged', () => {
    const joined = { event: 'join', actorTokenId: 'ann', presence } as const;
    expect(read(presenceFrame(joined))).to.deep.equal({
      type: 'presence',
      event: 'join',
      data: { actor_token_id: 'ann', presence: data },
    });
    const left = { event: 'leave', actorTokenId: 'ann', presence: undefined } as const;
    expect(read(presenceFrame(left))).to.deep.equal({
      type: 'presence',
      event: 'leave',
      data: { actor_token_id: 'ann' },
    });
    expect(read(presenceFrame(left, 'app/hall'))).to.deep.equal({
      type: 'presence',
      event: 'leave',
      roomId: 'app/hall',
      data: { actor_token_id: 'ann' },
    });
  });

  it('[WS-PRES-17] count', () => {
    const counted = { type: 'presenceCount', roomId: 'hall' };
    for (const present of [0, 127, 20_000])
      expect(read(presenceCountFrame('hall', present))).to.deep.equal({ ...counted, present });
  });

  for (const count of [0, 1, 15, 16, 300, 65_536]) {
    it(`[WS-PRES-7] list ${count} entries`, function () {
      this.timeout(60_000);
      const frame = read(presenceListFrame('room', entries(count))) as { data: { joinedAt: number }[] };
      expect(frame).to.include({ type: 'presenceList', roomId: 'room' });
      expect(frame.data).to.have.length(count);
      expect(frame.data.at(-1)?.joinedAt).to.equal(count === 0 ? undefined : 1_767_225_599 + count);
    });
  }

  it('[WS-LOBBY-3] show a lobby by room and actor', () => {
    const snapshot = new LobbySnapshot();
    snapshot.room('bar', 20);
    snapshot.members(entries(15));
    snapshot.members(entries(20).slice(15));
    snapshot.room('room-1', 1);
    snapshot.members(entries(1));
    const frame = read(snapshot.frame('lobbySubscribed', 'east')) as Record<string, never>;
    expect(frame).to.include({ type: 'lobbySubscribed', lobbyId: 'east' });
    expect(Object.keys(frame['presence']?.['bar'] as never)).to.have.length(20);
    expect(frame['presence']?.['room-1']).to.deep.equal({
      'actor-0': { actorTokenId: 'actor-0', presence: data, joinedAt: 1_767_225_600 },
    });
  });

  it('[WS-LOBBY-4] have empty data when a member leaves a lobby', () => {
    const common = { lobbyId: 'east', roomId: 'bar', actorId: 'ann' };
    expect(read(lobbyPresenceFrame({ event: 'update', ...common, presence }))).to.deep.equal({
      type: 'lobbyPresence',
      event: 'update',
      ...common,
      data,
    });
    expect(read(lobbyPresenceFrame({ event: 'leave', ...common, presence: undefined }))).to.deep.include({
      data: {},
    });
  });
});
