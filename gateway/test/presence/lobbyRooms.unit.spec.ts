import { expect } from 'chai';
import { roomsOfLobby } from '../../src/presence/lobbyView.js';

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
