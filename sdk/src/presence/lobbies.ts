import type {
  LobbyContents,
  LobbyPresenceFrame,
  LobbySnapshotFrame,
  PresenceChange,
} from '../protocol/frames.js';
import type { Requests } from '../requests.js';
import { Watches, type WatchesContext } from './watches.js';

/** Events of a lobby: a snapshot first and after every reconnect, then every change. */
export type LobbyEvent =
  | { readonly event: 'snapshot'; readonly presence: LobbyContents }
  | (PresenceChange & {
      /** The room's slug. */
      readonly roomId: string;
    });

/** Must not throw; what it throws is reported as `handler_failed`. */
export type LobbyHandler = (event: LobbyEvent) => void;

/** A lobby that is watched. */
export interface Lobby {
  readonly lobbyId: string;
  /** Stops the handler at once. Resolves when the server has confirmed, or can no longer do so. May be called again. */
  unsubscribe(): Promise<void>;
}

/** The lobbies that the client watches, by `lobbyId`. */
export class Lobbies {
  private readonly requests: Requests;
  private readonly watches: Watches<LobbyEvent>;

  constructor(requests: Requests, context: WatchesContext) {
    this.requests = requests;
    this.watches = new Watches(context, (lobbyId) => ({ lobbyId }), {
      persist: (ask) => requests.persist(ask),
      begin: (lobbyId) => requests.question({ type: 'lobbySubscribe', lobbyId }, lobbyId, 'lobbySubscribed'),
      end: (lobbyId) =>
        requests.question({ type: 'lobbyUnsubscribe', lobbyId }, lobbyId, 'lobbyUnsubscribed'),
    });
  }

  async subscribe(lobbyId: string, handler: LobbyHandler): Promise<Lobby> {
    let hasBegun = false;
    const watch = await this.watches.add(lobbyId, (event) => {
      // What comes before its snapshot is of a former watch, which has not ended yet.
      hasBegun ||= event.event === 'snapshot';
      if (hasBegun) handler(event);
    });
    return { lobbyId, unsubscribe: () => watch.stop() };
  }

  async list(lobbyId: string): Promise<LobbyContents> {
    const reply = await this.requests.question(
      { type: 'getLobbyPresence', lobbyId },
      lobbyId,
      'lobbyPresenceList',
    );
    return (reply as LobbySnapshotFrame).presence;
  }

  /** The handler gets the snapshot before any event that follows it, whether or not a request is pending. */
  opened({ lobbyId, presence }: LobbySnapshotFrame): void {
    this.watches.hand(lobbyId, { event: 'snapshot', presence });
  }

  changed({ lobbyId, roomId, actorId: actorTokenId, event, data }: LobbyPresenceFrame): void {
    const where = { roomId, actorTokenId };
    this.watches.hand(lobbyId, event === 'leave' ? { event, ...where } : { event, ...where, presence: data });
  }

  connected(): void {
    this.watches.connected();
  }
}
