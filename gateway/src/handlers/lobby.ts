import type { Handler } from './handler.js';

export const lobbySubscribe: Handler<'lobbySubscribe'> = (session, { lobbyId }, core) =>
  core.presence.lobbies.subscribe(session, lobbyId);

export const getLobbyPresence: Handler<'getLobbyPresence'> = (session, { lobbyId }, core) =>
  core.presence.lobbies.list(session, lobbyId);

/** [WS-LOBBY-5] Answered alike whether there was a subscription or not. */
export const lobbyUnsubscribe: Handler<'lobbyUnsubscribe'> = (session, { lobbyId }, core) => {
  core.presence.lobbies.unsubscribe(session, lobbyId);
  session.link.send({ type: 'lobbyUnsubscribed', lobbyId });
};
