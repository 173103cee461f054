import { isLoss, RoomwireError } from '../errors.js';
import type {
  LobbyContents,
  LobbyPresenceFrame,
  LobbySnapshotFrame,
  PresenceChange,
} from '../protocol/frames.js';
import type { Requests } from '../requests.js';

/** Events of a lobby: a snapshot at first and after every reconnect, and what changes from then on. */
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
  /** Stops the handler at once. Resolves when the server has confirmed, or cannot. May be called again. */
  unsubscribe(): Promise<void>;
}

export interface LobbiesContext {
  isOnline(): boolean;
  onError(error: RoomwireError): void;
}

/** The lobbies that the client watches, by `lobbyId`. */
export class Lobbies {
  private readonly requests: Requests;
  private readonly context: LobbiesContext;
  private readonly handlers = new Map<string, LobbyHandler>();

  constructor(requests: Requests, context: LobbiesContext) {
    this.requests = requests;
    this.context = context;
  }

  async subscribe(lobbyId: string, handler: LobbyHandler): Promise<Lobby> {
    if (this.handlers.has(lobbyId)) throw new RoomwireError('subscription_conflict', { lobbyId });
    this.handlers.set(lobbyId, handler);
    try {
      await this.requestSnapshot(lobbyId);
    } catch (error) {
      this.forget(lobbyId, handler);
      throw error;
    }
    let left: Promise<void> | undefined;
    return { lobbyId, unsubscribe: () => (left ??= this.unsubscribe(lobbyId, handler)) };
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
    this.hand(lobbyId, { event: 'snapshot', presence });
  }

  changed({ lobbyId, roomId, actorId: actorTokenId, event, data }: LobbyPresenceFrame): void {
    const where = { roomId, actorTokenId };
    this.hand(lobbyId, event === 'leave' ? { event, ...where } : { event, ...where, presence: data });
  }

  connected(): void {
    for (const [lobbyId, handler] of this.handlers) {
      this.requestSnapshot(lobbyId).catch((error: RoomwireError) => {
        if (isLoss(error)) return;
        this.forget(lobbyId, handler);
        this.context.onError(error);
      });
    }
  }

  private async requestSnapshot(lobbyId: string): Promise<void> {
    await this.requests.question({ type: 'lobbySubscribe', lobbyId }, lobbyId, 'lobbySubscribed');
  }

  private async unsubscribe(lobbyId: string, handler: LobbyHandler): Promise<void> {
    if (!this.forget(lobbyId, handler) || !this.context.isOnline()) return;
    const unsubscribed = this.requests.question(
      { type: 'lobbyUnsubscribe', lobbyId },
      lobbyId,
      'lobbyUnsubscribed',
    );
    // A connection that is lost ends the subscription as well.
    await unsubscribed.catch(() => undefined);
  }

  private forget(lobbyId: string, handler: LobbyHandler): boolean {
    return this.handlers.get(lobbyId) === handler && this.handlers.delete(lobbyId);
  }

  private hand(lobbyId: string, event: LobbyEvent): void {
    try {
      this.handlers.get(lobbyId)?.(event);
    } catch (cause) {
      this.context.onError(new RoomwireError('handler_failed', { lobbyId, cause }));
    }
  }
}
