import { internalRoom } from '@roomwire/shared/domain/topic';
import type { App } from '@roomwire/shared/domain/app';
import { readRoom, type ReadingDeps, type RoomReading } from '../access/roomAccess.js';
import { isCurrent } from '../access/topicAccess.js';
import type { Identity } from '../access/client.js';
import { scopedAppOf } from './presenceTable.js';

/** Rooms whose rights a view remembers; beyond that they are resolved again. */
const maxKnownRooms = 1_000;

/** A lobby as one actor sees it: those of its rooms that the actor may read at the time. */
export class LobbyView {
  /** The project, app and scope of its rooms. */
  readonly scopedApp: string;
  private readonly deps: ReadingDeps;
  private readonly identity: Identity;
  private readonly lobbySlug: string;
  private readonly known = new Map<string, RoomReading>();
  private app: App;
  private rooms: LobbyRooms | undefined;

  constructor(deps: ReadingDeps, identity: Identity, app: App, lobbySlug: string) {
    this.deps = deps;
    this.identity = identity;
    this.lobbySlug = lobbySlug;
    this.scopedApp = scopedAppOf(internalRoom(identity.projectId, identity.scope, app.slug, 'any'));
    this.app = app;
    this.rooms = roomsOfLobby(app, lobbySlug);
  }

  /** Whether the room is one of the lobby's, whoever may read it. */
  names(roomSlug: string): boolean {
    return this.rooms?.has(roomSlug) === true;
  }

  /** Undefined where the read models have to be queried. */
  showsAsKnown(roomSlug: string): boolean | undefined {
    const known = this.known.get(roomSlug);
    return known !== undefined && isCurrent(known.access) ? this.isShown(roomSlug, known) : undefined;
  }

  /** Rejects when the read models fail. */
  async shows(roomSlug: string): Promise<boolean> {
    return this.showsAsKnown(roomSlug) ?? this.read(roomSlug);
  }

  private async read(roomSlug: string): Promise<boolean> {
    const reading = await readRoom(this.deps, this.identity, this.app.slug, roomSlug);
    if (this.known.size >= maxKnownRooms) this.known.clear();
    if (reading === undefined) this.known.delete(roomSlug);
    else this.known.set(roomSlug, reading);
    return reading !== undefined && this.isShown(roomSlug, reading);
  }

  private isShown(roomSlug: string, { isReadable, access }: RoomReading): boolean {
    if (access.until <= this.deps.clock.now()) return false;
    this.use(access.location.app.value);
    return isReadable && this.names(roomSlug);
  }

  /** The app as it is now. */
  private use(app: App): void {
    if (app === this.app) return;
    this.app = app;
    this.rooms = roomsOfLobby(app, this.lobbySlug);
  }
}

/** Which rooms of an app a lobby has, by their slugs. */
export class LobbyRooms {
  readonly slugs: ReadonlySet<string>;
  readonly prefixes: readonly string[];

  constructor(patterns: readonly string[]) {
    this.slugs = new Set(patterns.filter((pattern) => !pattern.endsWith('*')));
    this.prefixes = patterns
      .filter((pattern) => pattern.endsWith('*'))
      .map((pattern) => pattern.slice(0, -1));
  }

  has(roomSlug: string): boolean {
    return this.slugs.has(roomSlug) || this.prefixes.some((prefix) => roomSlug.startsWith(prefix));
  }
}

const everyRoom = new LobbyRooms(['*']);

/** Undefined when the app has no such lobby. */
export const roomsOfLobby = (
  { slug, config }: Pick<App, 'slug' | 'config'>,
  lobbySlug: string,
): LobbyRooms | undefined => {
  if (lobbySlug === slug) return everyRoom;
  const lobby = config.lobbies?.find((one) => one.slug === lobbySlug);
  return lobby && new LobbyRooms(lobby.rooms);
};
