import type { Clock } from '@roomwire/shared/ports/clock';
import { admission, observerAdmission } from '@roomwire/shared/domain/admission';
import { isSlug } from '@roomwire/shared/domain/topic';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { Client, Identity } from './client.js';
import type { Directory, RoomLocation } from './directory.js';
import { resolveAccess, type TopicAccess } from './topicAccess.js';

export interface ReadingDeps {
  readonly directory: Directory;
  readonly clock: Clock;
}

/** [WS-CAP-4] Whether the token of an actor lets it be present in a room, and see who is. */
export const allowsPresence = (
  { capabilities }: Pick<Identity, 'capabilities'>,
  appSlug: string,
  roomSlug: string,
): boolean => capabilities === undefined || capabilities.allowPresence(appSlug, roomSlug);

/** [WS-PRES-3] A room is readable for actors that may subscribe to one of its topics, [WS-GRANT-4] until that grant expires. */
export const mayRead = ({ app, room }: RoomLocation, identity: Identity, now: number): boolean => {
  const { actorTokenId, actorType, observes } = identity;
  if (!allowsPresence(identity, app.value.slug, room.value.slug)) return false;
  return room.value.topics.some((topic) => {
    const request = { actorTokenId, actorType, topic };
    const { maySubscribe, until } = observes
      ? observerAdmission(app.value, room.value, topic)
      : admission(app.value, room.value, room.value.grants, request);
    return maySubscribe && until > now;
  });
};

/** The rights to the topic that makes a room readable; undefined for one that is not. Rejects when the read models fail. */
export const accessToRoom = async (
  { directory, clock }: ReadingDeps,
  identity: Identity,
  appSlug: string,
  roomSlug: string,
): Promise<TopicAccess | undefined> => {
  if (!allowsPresence(identity, appSlug, roomSlug)) return undefined;
  // Of the token only `presence` counts.
  const wide = { ...identity, capabilities: undefined };
  const location = await directory.locate(identity.projectId, appSlug, roomSlug);
  for (const topic of location?.room.value.topics ?? []) {
    const access = await resolveAccess(directory, wide, `${appSlug}/${roomSlug}/${topic}`);
    if (access?.maySubscribe === true && access.until > clock.now()) return access;
  }
  return undefined;
};

export interface LookupDeps extends ReadingDeps {
  readonly views: ViewReader;
}

/** A client that names rooms and lobbies. */
export interface NamingClient extends Pick<Client, 'identity'> {
  /** Slugs of the apps in which it is subscribed. */
  subscribedApps(): readonly string[];
}

/** A slug that more apps or rooms of a project share is ambiguous and names none of them. */
export const maxSameSlug = 100;

/**
 * [WS-PRES-2] The room that a `roomId` names: `app-slug/room-slug`, or a room slug, of the apps in which the session
 * is subscribed, then of all in the project. Undefined where no readable room has that name, or two have.
 */
export const findRoom = async (
  deps: LookupDeps,
  client: NamingClient,
  roomId: string,
): Promise<TopicAccess | undefined> => {
  const [first = '', second, ...rest] = roomId.split('/');
  if (![first, second ?? first].every(isSlug) || rest.length > 0) return undefined;
  if (second !== undefined) return accessToRoom(deps, client.identity, first, second);
  const subscribed = client.subscribedApps();
  if (subscribed.length > maxSameSlug) return findInProject(deps, client, first, subscribed);
  const near = await readableIn(deps, client, subscribed, first);
  return near.length > 0 ? onlyOne(near) : findInProject(deps, client, first);
};

/** The only one there is. */
export const onlyOne = <T>(found: readonly T[]): T | undefined => (found.length === 1 ? found[0] : undefined);

/** The apps that are preferred need not be named where they have been searched. */
const findInProject = async (
  deps: LookupDeps,
  client: NamingClient,
  roomSlug: string,
  preferred: readonly string[] = [],
): Promise<TopicAccess | undefined> => {
  const filter = { projectId: client.identity.projectId, slug: roomSlug };
  const rooms = await deps.views.find('rooms', { filter, limit: maxSameSlug + 1 });
  if (rooms.length > maxSameSlug) return undefined;
  const apps = await Promise.all(rooms.map(({ appId }) => deps.views.get('apps', appId)));
  const slugs = apps.filter((app) => app !== undefined).map(({ slug }) => slug);
  const isPreferred = new Set(preferred);
  const nearSlugs = slugs.filter((slug) => isPreferred.has(slug));
  const near = await readableIn(deps, client, nearSlugs, roomSlug);
  return onlyOne(near.length > 0 ? near : await readableIn(deps, client, slugs, roomSlug));
};

/** Stops at the second one. */
const readableIn = async (
  deps: LookupDeps,
  { identity }: NamingClient,
  apps: readonly string[],
  roomSlug: string,
): Promise<readonly TopicAccess[]> => {
  const found: TopicAccess[] = [];
  for (const app of apps) {
    const access = await accessToRoom(deps, identity, app, roomSlug);
    if (access !== undefined && found.push(access) === 2) break;
  }
  return found;
};
