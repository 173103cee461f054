import { internalRoom, isSlug } from '@roomwire/shared/domain/topic';
import type { App } from '@roomwire/shared/domain/app';
import {
  readRoom,
  onlyOne,
  type ReadingDeps,
  type RoomReading,
  type LookupDeps,
  type NamingClient,
} from '../access/roomAccess.js';
import { isCurrent } from '../access/topicAccess.js';
import type { Identity } from '../access/client.js';
import { scopedAppOf } from './presenceTable.js';

export interface LobbyName {
  readonly appSlug: string;
  readonly lobbySlug: string;
}

/** A lobby as one actor sees it: those of its rooms that the actor may read at the time. */
export class LobbyView {
  /** The project, app and scope of its rooms. */
  readonly scopedApp: string;
  private readonly deps: ReadingDeps;
  private readonly identity: Identity;
  private readonly name: LobbyName;
  private readonly known = new Map<string, RoomReading>();

  constructor(deps: ReadingDeps, identity: Identity, name: LobbyName) {
    this.deps = deps;
    this.identity = identity;
    this.name = name;
    this.scopedApp = scopedAppOf(internalRoom(identity.projectId, identity.scope, name.appSlug, 'any'));
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
    const reading = await readRoom(this.deps, this.identity, this.name.appSlug, roomSlug);
    if (reading === undefined) this.known.delete(roomSlug);
    else this.known.set(roomSlug, reading);
    return reading !== undefined && this.isShown(roomSlug, reading);
  }

  private isShown(roomSlug: string, { isReadable, access }: RoomReading): boolean {
    if (access.until <= this.deps.clock.now()) return false;
    return isReadable && roomsOfLobby(access.location.app.value, this.name.lobbySlug)?.(roomSlug) === true;
  }
}

/** A slug that lobbies of several apps share is ambiguous and names none of them. */
const maxSameSlug = 100;

/**
 * [WS-LOBBY-2] The lobby that a `lobbyId` names: `app-slug/lobby-slug`, or a lobby slug, of the apps in which the
 * session is subscribed, then of all in the project. Undefined where there is none of that name of which the actor
 * may see a room, or two are.
 */
export const findLobby = async (
  deps: LookupDeps,
  client: NamingClient,
  lobbyId: string,
): Promise<LobbyView | undefined> => {
  const [first = '', second, ...rest] = lobbyId.split('/');
  if (![first, second ?? first].every(isSlug) || rest.length > 0) return undefined;
  const slug = second ?? first;
  if (second !== undefined) return onlyOne(await visible(deps, client, slug, { slug: first }));
  const near = await visible(deps, client, slug, { slug: { $in: client.subscribedApps() } });
  if (near.length > 0) return onlyOne(near);
  return onlyOne(
    await visible(deps, client, slug, { $or: [{ slug }, { 'config.lobbies': { $elemMatch: { slug } } }] }),
  );
};

/** Stops at the second one. */
const visible = async (
  deps: LookupDeps,
  { identity }: NamingClient,
  lobbySlug: string,
  filter: Readonly<Record<string, unknown>>,
): Promise<readonly LobbyView[]> => {
  const query = { filter: { projectId: identity.projectId, ...filter }, limit: maxSameSlug };
  const found: LobbyView[] = [];
  for (const app of await deps.views.find('apps', query)) {
    const view = new LobbyView(deps, identity, { appSlug: app.slug, lobbySlug });
    if ((await showsARoom(deps, view, app, lobbySlug)) && found.push(view) === 2) break;
  }
  return found;
};

const showsARoom = async (
  { views }: LookupDeps,
  view: LobbyView,
  app: App,
  lobbySlug: string,
): Promise<boolean> => {
  const belongs = roomsOfLobby(app, lobbySlug);
  if (belongs === undefined) return false;
  const rooms = await views.find('rooms', { filter: { appId: app.appId, status: 'active' } });
  for (const { slug } of rooms) if (belongs(slug) && (await view.shows(slug))) return true;
  return false;
};

/** A predicate on room slugs for the rooms of a lobby; undefined when the app has no such lobby. */
export const roomsOfLobby = (
  { slug, config }: Pick<App, 'slug' | 'config'>,
  lobbySlug: string,
): ((roomSlug: string) => boolean) | undefined => {
  if (lobbySlug === slug) return () => true;
  const lobby = config.lobbies?.find((one) => one.slug === lobbySlug);
  return lobby && ((roomSlug) => lobby.rooms.some((pattern) => fits(pattern, roomSlug)));
};

const fits = (pattern: string, roomSlug: string): boolean =>
  pattern.endsWith('*') ? roomSlug.startsWith(pattern.slice(0, -1)) : pattern === roomSlug;
