import { expect } from 'chai';
import { LobbyRooms, roomsOfLobby } from '../../src/presence/lobbyView.js';

describe('the rooms of a lobby', () => {
  it('[WS-LOBBY-1] are those of the first lobby of that slug, and of the app slug all rooms', () => {
    const lobbies = [
      { slug: 'one', rooms: ['first', 'vip-*'] },
      { slug: 'one', rooms: ['second'] },
    ];
    const app = { slug: 'app', config: { accessMode: 'open', lobbies } } as const;
    const rooms = roomsOfLobby(app, 'one');
    expect(['first', 'vip-1', 'second'].map((slug) => rooms?.has(slug))).to.deep.equal([true, true, false]);
    expect(roomsOfLobby(app, 'app')?.has('anything')).to.equal(true);
    expect(roomsOfLobby(app, 'other')).to.equal(undefined);
  });

  it('[WS-LOBBY-1] are found without going through all of its prefixes, of which a body holds 100,000', () => {
    const patterns = Array.from({ length: 100_000 }, (_, n) => `room-${n}-*`);
    const rooms = new LobbyRooms(['named', 'vip-*', 'v*', ...patterns]);
    const isOne = (slug: string) => rooms.has(slug);
    expect(['named', 'vip-1', 'v', 'room-99999-x', 'room-1-'].map(isOne)).to.deep.equal(Array(5).fill(true));
    expect(['name', 'room-1', 'room-100000-x', ''].map(isOne)).to.deep.equal(Array(4).fill(false));
    // 10 billion comparisons where each prefix is one.
    for (let n = 0; n < 100_000; n++) isOne(`other-${n}`);
  });

  it('are found without going through all lobbies of the app, as each change of a presence asks for many', () => {
    let looked = 0;
    const count = 1_000;
    const lobbies = Array.from({ length: count }, (_, n) => ({
      get slug() {
        looked++;
        return `lobby-${n}`;
      },
      rooms: ['room'],
    }));
    const app = { slug: 'app', config: { accessMode: 'open', lobbies } } as const;
    for (let n = 0; n < count; n++) expect(roomsOfLobby(app, `lobby-${n}`)?.has('room')).to.equal(true);
    expect(looked).to.be.at.most(2 * count);
  });
});
