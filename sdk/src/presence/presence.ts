/** What an actor says of itself in a room. */
export type PresenceData = Readonly<Record<string, unknown>>;

/** An actor in a room. */
export interface PresenceEntry {
  readonly actorTokenId: string;
  readonly presence: PresenceData;
  /** Unix seconds. */
  readonly joinedAt: number;
}

/** What happened in the room that this client is in. Never about its own actor. */
export type PresenceChange =
  | { readonly event: 'join' | 'update'; readonly actorTokenId: string; readonly presence: PresenceData }
  | { readonly event: 'leave'; readonly actorTokenId: string };

/** By room slug, then by `actorTokenId`. */
export type LobbyContents = Readonly<Record<string, Readonly<Record<string, PresenceEntry>>>>;

/** What a lobby tells: all that is there, at first and after every reconnect, and what changes from then on. */
export type LobbyEvent =
  | { readonly event: 'snapshot'; readonly presence: LobbyContents }
  | (PresenceChange & {
      /** The room's slug. */
      readonly roomId: string;
    });

/** Must not throw; what it throws is reported as `handler_failed`. */
export type LobbyHandler = (event: LobbyEvent) => void;

/** A lobby that is being looked at. */
export interface Lobby {
  readonly lobbyId: string;
  /** Stops the handler at once. Resolves when the server has confirmed, or cannot. May be called again. */
  unsubscribe(): Promise<void>;
}
