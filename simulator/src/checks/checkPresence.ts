import type { Connection } from '../clients/connection.js';
import type { History } from '../run/history.js';

export interface Asked {
  /** When nobody comes or goes any more. */
  readonly open: readonly Connection[];
  /** And were answered, as far as they asked. */
  readonly stillOpen: readonly Connection[];
  readonly askedAt: number;
}

/** Once all is calm every gateway shows those who are there, and no others, and says how many they are. */
export const checkPresence = (history: History, room: string, { open, stillOpen, askedAt }: Asked): void => {
  const actorsWhere = (isMeant: (connection: Connection) => boolean, among = open): ReadonlySet<string> =>
    new Set(among.filter(isMeant).map(({ actor }) => actor.actorTokenId));
  const there = actorsWhere(({ rooms }) => rooms.where(room) === 'in', stillOpen);
  const mayBeThere = actorsWhere(({ rooms }) => rooms.where(room) !== 'out');
  for (const { presences, rooms, number, gateway } of stillOpen)
    for (const [address, { at, actors }] of presences) {
      if (!address.endsWith(`/${room}`) || at < askedAt) continue;
      const missing = [...there].filter((actor) => !actors.includes(actor));
      const strangers = actors.filter((actor) => !mayBeThere.has(actor));
      const counted = rooms.counted(room);
      if (missing.length > 0)
        history.violated('WS-PRES-6', `${gateway} shows ${number} nothing of ${missing.join()} in ${room}`);
      if (strangers.length > 0)
        history.violated('WS-PRES-13', `${gateway} still shows ${number} ${strangers.join()} in ${room}`);
      if (counted !== undefined && counted !== actors.length)
        history.violated(
          'WS-PRES-17',
          `${gateway} counts ${counted} of ${actors.length} in ${room} for ${number}`,
        );
    }
};
