import type { App } from '@roomwire/shared/domain/app';
import { isSlug } from '@roomwire/shared/domain/topic';
import type { ViewFilter, ViewReader } from '@roomwire/shared/ports/viewStore';
import type { Views } from '@roomwire/shared/wire/views/views';
import type { Identity } from '../access/client.js';
import type { Lookups } from '../access/lookups.js';
import { maxSameSlug, onlyOne, type LookupDeps, type NamingClient } from '../access/roomAccess.js';
import { LobbyView, roomsOfLobby, type LobbyRooms } from './lobbyView.js';

/**
 * [WS-LOBBY-2] The lobby that a `lobbyId` names: `app-slug/lobby-slug`, or a lobby slug, of the apps in which the
 * session is subscribed, then of all in the project. Undefined where there is none of that name of which the actor
 * may see a room, or two are, or [WS-LOBBY-7] that was not found out by what may be looked at.
 */
export const findLobby = async (
  deps: LookupDeps,
  client: NamingClient,
  lobbyId: string,
  lookups: Lookups,
): Promise<LobbyView | undefined> => {
  const [first = '', second, ...rest] = lobbyId.split('/');
  if (![first, second ?? first].every(isSlug) || rest.length > 0) return undefined;
  const search = new LobbySearch(deps, client, second ?? first, lookups);
  const found = second === undefined ? await search.byLobby() : await search.inApps([first]);
  return lookups.isExhausted ? undefined : onlyOne(found);
};

/** What a query for the rooms of one prefix counts for. */
const prefixCost = 10;

/** The search of one request for the lobbies of a name of which its actor sees a room. Each stops at the second one. */
class LobbySearch {
  private readonly deps: LookupDeps;
  private readonly client: NamingClient;
  private readonly identity: Identity;
  private readonly lobbySlug: string;
  private readonly lookups: Lookups;

  constructor(deps: LookupDeps, client: NamingClient, lobbySlug: string, lookups: Lookups) {
    this.deps = deps;
    this.client = client;
    this.identity = client.identity;
    this.lobbySlug = lobbySlug;
    this.lookups = lookups;
  }

  /** At most `maxSameSlug`. */
  async inApps(slugs: readonly string[]): Promise<readonly LobbyView[]> {
    const { directory } = this.deps;
    const apps = await Promise.all(slugs.map((slug) => directory.app(this.identity.projectId, slug)));
    return this.visibleIn(apps.flatMap((app) => app?.value ?? []));
  }

  async byLobby(): Promise<readonly LobbyView[]> {
    const subscribed = this.client.subscribedApps();
    const isSearched = subscribed.length <= maxSameSlug;
    const searched = isSearched ? await this.inApps(subscribed) : [];
    if (searched.length > 0) return searched;
    const apps = await this.appsWithLobby();
    const preferred = new Set(isSearched ? [] : subscribed);
    const near = await this.visibleIn(apps.filter(({ slug }) => preferred.has(slug)));
    return near.length > 0 ? near : this.visibleIn(apps);
  }

  private async appsWithLobby(): Promise<readonly App[]> {
    const { views } = this.deps;
    const { projectId } = this.identity;
    const slug = this.lobbySlug;
    const [named, having] = await Promise.all([
      views.find('apps', { filter: { projectId, slug }, limit: 1 }),
      views.find('apps', { filter: { projectId, 'config.lobbies.slug': slug }, limit: maxSameSlug }),
    ]);
    return [...named, ...having.filter(({ appId }) => appId !== named[0]?.appId)];
  }

  private async visibleIn(apps: readonly App[]): Promise<readonly LobbyView[]> {
    const found: LobbyView[] = [];
    for (const app of apps) {
      const rooms = roomsOfLobby(app, this.lobbySlug);
      if (rooms === undefined) continue;
      const view = new LobbyView(this.deps, this.client, app, this.lobbySlug);
      if ((await this.showsARoom(view, app, rooms)) && found.push(view) === 2) break;
    }
    return found;
  }

  private async showsARoom(view: LobbyView, app: App, rooms: LobbyRooms): Promise<boolean> {
    for await (const { looked, slugs } of this.candidates(app, rooms)) {
      if (!(await this.lookups.look(looked))) return false;
      const own = slugs.filter((slug) => rooms.has(slug));
      if ((await Promise.all(own.map((slug) => view.shows(slug)))).includes(true)) return true;
    }
    return false;
  }

  /**
   * Rooms that the actor may be able to read: those that the lobby names, those that its token names, those with a grant for the actor
   * or its type, and, in an app that is not private, all others that fit.
   */
  private async *candidates({ appId, slug, config }: App, rooms: LobbyRooms): AsyncGenerator<Candidates> {
    for (const slugs of inPages([...rooms.slugs])) yield { looked: slugs.length, slugs };
    if (rooms.prefixes.size === 0) return;
    const { actorTokenId, actorType, capabilities } = this.identity;
    const named = capabilities?.roomsNamed(slug) ?? [];
    if (named.length > 0) yield { looked: named.length, slugs: named };
    for (const holder of [{ actorTokenId }, { actorType }]) yield* this.granted({ appId, ...holder });
    if (config.accessMode === 'private') return;
    for (const prefix of rooms.prefixes) {
      if (!(await this.lookups.look(prefixCost))) return;
      yield* this.active(appId, prefix);
    }
  }

  private async *granted(grants: ViewFilter): AsyncGenerator<Candidates> {
    const { views } = this.deps;
    for await (const page of documents(views, 'grants', { ...grants, isActive: true })) {
      const rooms = await Promise.all(page.map(({ roomId }) => views.get('rooms', roomId)));
      yield { looked: page.length, slugs: rooms.flatMap((room) => room?.slug ?? []) };
    }
  }

  private async *active(appId: string, prefix: string): AsyncGenerator<Candidates> {
    const slug = prefix === '' ? {} : { slug: { $regex: `^${prefix}` } };
    const filter = { appId, status: 'active', ...slug };
    for await (const page of documents(this.deps.views, 'rooms', filter))
      yield { looked: page.length, slugs: page.map((room) => room.slug) };
  }
}

interface Candidates {
  /** How many were looked at to find these. */
  readonly looked: number;
  readonly slugs: readonly string[];
}

const firstPage = 10;
const pageSize = 100;

function* inPages<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += pageSize) yield list.slice(from, from + pageSize);
}

/** The first page is small, because one of the first documents mostly decides. */
async function* documents<V extends 'grants' | 'rooms'>(
  views: ViewReader,
  view: V,
  filter: ViewFilter,
): AsyncGenerator<readonly Views[V][]> {
  for (let skip = 0, limit = firstPage; ; skip += limit, limit = pageSize) {
    const page = await views.find(view, { filter, sort: [['createdPosition', 1]], skip, limit });
    yield page;
    if (page.length < limit) return;
  }
}
