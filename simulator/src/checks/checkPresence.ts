import type { Connection } from '../clients/connection.js';
import type { History } from '../run/history.js';

/** [WS-PRES-6] [WS-PRES-12]: once all is calm, every gateway shows those who are there. */
export const checkPresence = (
  history: History,
  room: string,
  connections: readonly Connection[],
  askedAt: number,
): void => {
  const there = new Set(
    connections.filter(({ announced }) => announced === room).map(({ actor }) => actor.actorTokenId),
  );
  // One that said so once, and whose later words may have been lost.
  const mayBeThere = new Set(connections.map(({ actor }) => actor.actorTokenId));
  for (const { presences, number, gateway } of connections)
    for (const [address, { at, actors }] of presences) {
      if (!address.endsWith(`/${room}`) || at < askedAt) continue;
      const missing = [...there].filter((actor) => !actors.includes(actor));
      const strangers = actors.filter((actor) => !mayBeThere.has(actor));
      if (missing.length > 0)
        history.violated('WS-PRES-6', `${gateway} shows ${number} nothing of ${missing.join()}`);
      if (strangers.length > 0)
        history.violated('WS-PRES-13', `${gateway} still shows ${number} ${strangers.join()}`);
    }
};
