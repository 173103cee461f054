import { internalRoom } from '@roomwire/shared/domain/topic';
import type { App, LobbyConfig } from '@roomwire/shared/domain/app';
import type { RoomLocation } from '../access/directory.js';
import { allowsPresence, mayRead, type ReadingDeps } from '../access/roomAccess.js';
import type { Client } from '../access/client.js';
import { scopedAppOf } from './presenceTable.js';

/** A lobby as one actor sees it: those of its rooms that the actor may read at the time. */
export class LobbyView {
  /** The project, app and scope of its rooms. */
  readonly scopedApp: string;
  readonly lobbySlug: string;
  private readonly deps: ReadingDeps;
  private readonly client: Pick<Client, 'identity'>;
  private readonly app: Pick<App, 'slug' | 'config'>;
  private readonly scope: string | null;

  constructor(deps: ReadingDeps, client: Pick<Client, 'identity'>, app: App, lobbySlug: string) {
    this.deps = deps;
    this.client = client;
    this.app = app;
    this.lobbySlug = lobbySlug;
    const { projectId, scope } = client.identity;
    this.scope = scope;
    this.scopedApp = scopedAppOf(internalRoom(projectId, scope, app.slug, 'any'));
  }

  /** [WS-SCOPE-4] Whether its actor is still in the scope of its rooms. */
  get isInScope(): boolean {
    return this.client.identity.scope === this.scope;
  }

  /**
   * The same for those who see the same of it: what a token narrows it narrows for its connection alone, [WS-EXT-3] and connections of
   * an external actor may be of several types.
   */
  get reader(): unknown {
    const { actorTokenId, actorType, capabilities } = this.client.identity;
    return capabilities ?? `${actorType}/${actorTokenId}`;
  }

  /** Whether the room was one of the lobby's when the view was made, as far as the token lets it be seen. */
  named(roomSlug: string): boolean {
    return this.allows(roomSlug) && isOfLobby(this.app, this.lobbySlug, roomSlug);
  }

  /** One of its rooms, as far as it is cached. */
  locate(roomSlug: string): RoomLocation | undefined {
    return this.deps.directory.peek(this.client.identity.projectId, this.app.slug, roomSlug);
  }

  /** Rejects when the read models fail. */
  async find(roomSlug: string): Promise<RoomLocation | undefined> {
    return this.deps.directory.locate(this.client.identity.projectId, this.app.slug, roomSlug);
  }

  /** Rejects when the read models fail. */
  async shows(roomSlug: string): Promise<boolean> {
    if (!this.allows(roomSlug)) return false;
    const location = await this.find(roomSlug);
    return location !== undefined && this.has(location) && this.mayRead(location);
  }

  /** Whether the room is one of the lobby's, whoever may read it. */
  has({ app, room }: RoomLocation): boolean {
    return isOfLobby(app.value, this.lobbySlug, room.value.slug);
  }

  mayRead(location: RoomLocation): boolean {
    return mayRead(location, this.client.identity, this.deps.clock.now());
  }

  private allows(roomSlug: string): boolean {
    return allowsPresence(this.client.identity, this.app.slug, roomSlug);
  }
}

const isOfLobby = (app: Pick<App, 'slug' | 'config'>, lobbySlug: string, roomSlug: string): boolean =>
  roomsOfLobby(app, lobbySlug)?.has(roomSlug) === true;

/** Which rooms of an app a lobby has, by their slugs. */
export class LobbyRooms {
  readonly slugs: ReadonlySet<string>;
  readonly prefixes: ReadonlySet<string>;
  /** Of the prefixes: no more than a slug has characters, however many prefixes there are. */
  private readonly lengths: ReadonlySet<number>;

  constructor(patterns: readonly string[]) {
    this.slugs = new Set(patterns.filter((pattern) => !pattern.endsWith('*')));
    this.prefixes = new Set(
      patterns.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1)),
    );
    this.lengths = new Set([...this.prefixes].map(({ length }) => length));
  }

  has(roomSlug: string): boolean {
    if (this.slugs.has(roomSlug)) return true;
    for (const length of this.lengths)
      if (length <= roomSlug.length && this.prefixes.has(roomSlug.slice(0, length))) return true;
    return false;
  }
}

const everyRoom = new LobbyRooms(['*']);

/** Of the lobbies that were asked for, as long as their app stays as it is. */
const made = new WeakMap<LobbyConfig, LobbyRooms>();

/** By slug, as long as the app stays as it is: every change of a presence asks for each lobby that somebody is subscribed to. */
const indexed = new WeakMap<readonly LobbyConfig[], ReadonlyMap<string, LobbyConfig>>();

const lobbyIn = (lobbies: readonly LobbyConfig[], slug: string): LobbyConfig | undefined => {
  // Of two with one slug the first one counts.
  const bySlug = indexed.get(lobbies) ?? new Map(lobbies.toReversed().map((lobby) => [lobby.slug, lobby]));
  indexed.set(lobbies, bySlug);
  return bySlug.get(slug);
};

/** Undefined when the app has no such lobby. */
export const roomsOfLobby = (
  { slug, config }: Pick<App, 'slug' | 'config'>,
  lobbySlug: string,
): LobbyRooms | undefined => {
  if (lobbySlug === slug) return everyRoom;
  const lobby = config.lobbies && lobbyIn(config.lobbies, lobbySlug);
  if (lobby === undefined) return undefined;
  const rooms = made.get(lobby) ?? new LobbyRooms(lobby.rooms);
  made.set(lobby, rooms);
  return rooms;
};
