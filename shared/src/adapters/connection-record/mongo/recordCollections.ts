import type { Collection, Db, Filter } from 'mongodb';
import { findAll, makeIndex, upsertAll } from '../../mongo/collections.js';
import { readLimits } from '../../mongo/connection.js';
import type { ConnectionState, FoldedConnection } from '../connectionFold.js';
import type { ConnectionList } from '../findConnections.js';
import {
  connectionDocument,
  type ConnectionDocument,
  type FactDocument,
  type GatewayDocument,
  type RoomDocument,
} from './connectionDocuments.js';

/** Documents in one request. */
const step = 1_000;

/** The collections in which reads and writes of the record meet. */
export interface RecordCollections {
  readonly connections: Collection<ConnectionDocument>;
  readonly rooms: Collection<RoomDocument>;
  readonly facts: Collection<FactDocument>;
  readonly gateways: Collection<GatewayDocument>;
}

export const recordCollections = (database: Db): RecordCollections => ({
  connections: database.collection('connections'),
  rooms: database.collection('connectionRooms'),
  facts: database.collection('connectionFacts'),
  gateways: database.collection('connectionGateways'),
});

export const makeRecordIndexes = async ({ connections, rooms, facts }: RecordCollections): Promise<void> => {
  await makeIndex(connections, { organizationId: 1, place: -1 });
  await makeIndex(connections, { organizationId: 1, actorTokenId: 1, place: -1 });
  await makeIndex(connections, { organizationId: 1, projectId: 1, place: -1 });
  await makeIndex(connections, { organizationId: 1, state: 1, place: -1 });
  await makeIndex(connections, { gateway: 1, state: 1 });
  await makeIndex(connections, { projectId: 1 });
  await makeIndex(connections, { lastAt: 1 });
  await makeIndex(rooms, { organizationId: 1, room: 1, place: -1 });
  await makeIndex(rooms, { connectionId: 1 });
  await makeIndex(facts, { connectionId: 1, place: 1 });
  await makeIndex(facts, { at: 1 });
  await makeIndex(facts, { projectId: 1, messageId: 1 });
};

export const loadConnections = async (
  { connections }: Pick<RecordCollections, 'connections'>,
  ids: readonly string[],
): Promise<readonly FoldedConnection[]> =>
  (await all(findAll(connections, ids))).map(({ connection }) => connection);

type ConnectionFilter = Filter<ConnectionDocument> & {
  readonly state: ConnectionState | { readonly $in: readonly ConnectionState[] };
};

/** Changes those that match, after which they match no more; in steps, before each of which it is asked whether to go on. */
export const changeConnections = async (
  { connections }: Pick<RecordCollections, 'connections'>,
  filter: ConnectionFilter,
  change: (known: FoldedConnection) => FoldedConnection,
  goesOn: () => Promise<boolean> = async () => true,
): Promise<void> => {
  for (let found = step; found === step;) {
    const documents = await connections.find(filter, { limit: step, ...readLimits() }).toArray();
    if (documents.length === 0 || !(await goesOn())) return;
    await upsertAll(
      connections,
      documents.map(({ connection, last, lastAt, _id }) => ({
        // Unless it has had another fact since.
        replaceOne: { filter: { _id, last }, replacement: connectionDocument(change(connection), lastAt) },
      })),
    );
    found = documents.length;
  }
};

/** Opens the connections again that were given up with these gateways. */
export const reopenConnections = async (
  collections: Pick<RecordCollections, 'connections'>,
  gateways: readonly string[],
): Promise<void> => {
  if (gateways.length === 0) return;
  await changeConnections(collections, { gateway: { $in: [...gateways] }, state: 'lost' }, (lost) => ({
    ...lost,
    closed: null,
  }));
};

export const filterOf = (
  list: Exclude<ConnectionList, { readonly of: 'room' }>,
): Filter<ConnectionDocument> => {
  switch (list.of) {
    case 'actor':
      return { actorTokenId: list.actorTokenId };
    case 'project':
      return { projectId: list.projectId };
    case 'open':
      return { state: 'open' };
    case 'all':
      return {};
  }
};

export const all = async <T>(items: AsyncIterable<T>): Promise<readonly T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};
