import { expect } from 'chai';
import { roomsOfLobby } from '../../src/presence/lobbyView.js';

const app = {
  slug: 'hotel',
  config: {
    lobbies: [
      { slug: 'east', rooms: ['bar', 'room-*'] },
      { slug: 'hotel', rooms: ['bar'] },
      { slug: 'none', rooms: [] },
    ],
  },
};

const shown = (lobby: string) =>
  ['bar', 'bar-2', 'room-', 'room-1', 'room'].filter((slug) => roomsOfLobby(app, lobby)?.(slug));

describe('the rooms of a lobby', () => {
  it('are named, or begin as the pattern does', () => {
    expect(shown('east')).to.deep.equal(['bar', 'room-', 'room-1']);
    expect(shown('none')).to.deep.equal([]);
  });

  it("are all of the app's, for the lobby of its own slug", () => {
    expect(shown('hotel')).to.have.length(5);
    expect(roomsOfLobby({ slug: 'bare', config: {} }, 'bare')?.('any')).to.equal(true);
  });

  it('are none where the app has no such lobby', () => {
    expect(roomsOfLobby(app, 'west')).to.equal(undefined);
    expect(roomsOfLobby({ slug: 'bare', config: {} }, 'east')).to.equal(undefined);
  });
});
