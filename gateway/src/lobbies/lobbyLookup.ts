import type { App } from '@roomwire/shared/domain/apps/app';
import { isSlug } from '@roomwire/shared/domain/slug';
import { appsSubscribedIn, theOne, type LookupDeps } from '../access/roomLookup.js';
import { roomsOfLobby } from '../policy/lobbyRooms.js';
import type { Session } from '../session/session.js';
import { LobbyView } from './lobbyView.js';

/** Apps of a project with a lobby of one slug that are looked at; with more, the slug alone is taken to name none. */
const maxSameSlug = 100;

/**
 * [WS-LOBBY-2] The lobby that a `lobbyId` names: `app-slug/lobby-slug`, or a lobby slug, of the apps in which the
 * session is subscribed, then of all in the project. Undefined where there is none of that name of which the actor
 * may see a room, or two are.
 */
export const findLobby = async (
  deps: LookupDeps,
  session: Session,
  lobbyId: string,
): Promise<LobbyView | undefined> => {
  const [first = '', second, ...rest] = lobbyId.split('/');
  if (![first, second ?? first].every(isSlug) || rest.length > 0) return undefined;
  const slug = second ?? first;
  if (second !== undefined) return theOne(await visible(deps, session, slug, { slug: first }));
  const near = await visible(deps, session, slug, { slug: { $in: appsSubscribedIn(session) } });
  if (near.length > 0) return theOne(near);
  return theOne(
    await visible(deps, session, slug, { $or: [{ slug }, { 'config.lobbies': { $elemMatch: { slug } } }] }),
  );
};

/** Stops at the second one. */
const visible = async (
  deps: LookupDeps,
  { identity }: Session,
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
