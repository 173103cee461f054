import type { ConnectionPage, ConnectionQuery, RecordedConnection } from '../../ports/connectionRecord.js';
import { placeBehind } from '../../wire/connectionPlaces.js';
import { limitTable } from '../../wire/limits/limitTable.js';

export interface ListedConnection {
  /** See `placeOfConnection`. */
  readonly place: string;
  readonly connectionId: string;
}

/** Lists of connections, the newest first. */
export type ConnectionList =
  | { readonly of: 'room'; readonly room: string }
  | { readonly of: 'actor'; readonly actorTokenId: string }
  | { readonly of: 'project'; readonly projectId: string }
  | { readonly of: 'open' }
  | { readonly of: 'all' };

export interface ConnectionLists<C extends RecordedConnection> {
  /** Up to `limit` of an organization, before a place. */
  listed(
    organizationId: string,
    list: ConnectionList,
    range: { readonly before: string; readonly limit: number },
  ): Promise<readonly ListedConnection[]>;
  /** Those that are there, in any order. */
  load(connectionIds: readonly string[]): Promise<readonly C[]>;
  /** Those of them that were subscribed in a room. */
  inRoom(connectionIds: readonly string[], room: string): Promise<readonly string[]>;
}

/** Behind the place of every connection. */
const end = '~';
const atOnce = 200;
const mostExamined = limitTable.connectionsExamined.value;

/** Goes through the list that is probably the shortest. A page ends early where hardly anything passes. */
export const findConnections = async (
  lists: ConnectionLists<RecordedConnection>,
  query: ConnectionQuery,
): Promise<ConnectionPage> => {
  const { organizationId, limit, during, after, room } = query;
  const list = listOf(query);
  const found: RecordedConnection[] = [];
  let before = lower(after ?? end, during === undefined ? end : placeBehind(during.to));
  for (let examined = 0; examined < mostExamined; examined += atOnce) {
    const listed = await lists.listed(organizationId, list, { before, limit: atOnce });
    const ids = listed.map(({ connectionId }) => connectionId);
    const isLookedUp = room !== undefined && list.of !== 'room';
    const loaded = await lists.load(isLookedUp ? await lists.inRoom(ids, room) : ids);
    const byId = new Map(loaded.map((connection) => [connection.connectionId, connection]));
    for (const { place, connectionId } of listed) {
      before = place;
      const connection = byId.get(connectionId);
      if (connection !== undefined && isAsked(connection, query)) found.push(connection);
      if (found.length === limit) return { connections: found, next: before };
    }
    if (listed.length < atOnce) return { connections: found, next: undefined };
  }
  return { connections: found, next: before };
};

const lower = (one: string, other: string): string => (one < other ? one : other);

const listOf = ({ room, actorTokenId, state, projectId }: ConnectionQuery): ConnectionList => {
  if (actorTokenId !== undefined) return { of: 'actor', actorTokenId };
  if (room !== undefined) return { of: 'room', room };
  if (state === 'open') return { of: 'open' };
  return projectId === undefined ? { of: 'all' } : { of: 'project', projectId };
};

const isAsked = (
  connection: RecordedConnection,
  { organizationId, projectId, actorTokenId, state, during }: ConnectionQuery,
): boolean =>
  connection.organizationId === organizationId &&
  (projectId === undefined || connection.projectId === projectId) &&
  (actorTokenId === undefined || connection.actorTokenId === actorTokenId) &&
  (state === undefined || (connection.closed === null) === (state === 'open')) &&
  (during === undefined || connection.closed === null || connection.closed.at >= during.from);
