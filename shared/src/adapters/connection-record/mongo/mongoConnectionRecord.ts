import type { AnyBulkWriteOperation, Collection, Document, Filter } from 'mongodb';
import type {
  ConnectionPage,
  ConnectionQuery,
  ConnectionRecord,
  RecordCoverage,
  RecordedConnection,
  RecordedFact,
  TimelineQuery,
  TimeSpan,
} from '../../ports/connectionRecord.js';
import type { LogOrigin, LogPosition } from '../../ports/eventLog.js';
import type { FactBatch } from '../../wire/bus/connectionFacts.js';
import { findAll, makeIndex, retryingDuplicates, upsertAll } from '../mongo/collections.js';
import { openOnMongo, readLimits, type MongoConnection, type MongoOptions } from '../mongo/connection.js';
import { isDuplicateKey } from '../mongo/errors.js';
import { FollowProgress } from '../mongo/followProgress.js';
import {
  connectionDocument,
  factDocument,
  recordedFact,
  roomDocument,
  roomKey,
  type ConnectionDocument,
  type FactDocument,
  type GatewayDocument,
  type RoomDocument,
} from './connectionDocuments.js';
import {
  foldFact,
  lostEnd,
  placedFacts,
  roomsOf,
  shownConnection,
  unrecordedEnd,
  type ConnectionState,
  type FoldedConnection,
} from './connectionFold.js';
import { coverageOf } from './coverage.js';
import { findConnections, type ConnectionList, type ListedConnection } from './findConnections.js';
import { foldBatch, isForgotten, type FoldedGateway, type UnsettledGap } from './gatewayFold.js';

/** Documents in one request. */
const step = 1_000;
const mostHandOuts = 1_000;

interface CountDocument {
  readonly _id: 'forgotten' | 'next';
  readonly value: number;
}

/** The record of connections in collections of MongoDB. */
class MongoConnectionRecord implements ConnectionRecord {
  private readonly connection: MongoConnection;
  private readonly connections: Collection<ConnectionDocument>;
  private readonly rooms: Collection<RoomDocument>;
  private readonly facts: Collection<FactDocument>;
  private readonly gateways: Collection<GatewayDocument>;
  private readonly counts: Collection<CountDocument>;
  private readonly progress: FollowProgress;

  constructor(connection: MongoConnection) {
    this.connection = connection;
    const { database } = connection;
    this.connections = database.collection('connections');
    this.rooms = database.collection('connectionRooms');
    this.facts = database.collection('connectionFacts');
    this.gateways = database.collection('connectionGateways');
    this.counts = database.collection('connectionCounts');
    this.progress = new FollowProgress(connection, 'connectionProgress');
  }

  async prepare(): Promise<void> {
    await this.connection.call(async () => {
      await makeIndex(this.connections, { organizationId: 1, place: -1 });
      await makeIndex(this.connections, { organizationId: 1, actorTokenId: 1, place: -1 });
      await makeIndex(this.connections, { organizationId: 1, projectId: 1, place: -1 });
      await makeIndex(this.connections, { organizationId: 1, state: 1, place: -1 });
      await makeIndex(this.connections, { gateway: 1, state: 1 });
      await makeIndex(this.connections, { projectId: 1 });
      await makeIndex(this.connections, { lastAt: 1 });
      await makeIndex(this.rooms, { organizationId: 1, room: 1, place: -1 });
      await makeIndex(this.rooms, { connectionId: 1 });
      await makeIndex(this.facts, { connectionId: 1, place: 1 });
      await makeIndex(this.facts, { at: 1 });
      await makeIndex(this.facts, { projectId: 1, messageId: 1 });
    });
  }

  async write(batches: readonly FactBatch[]): Promise<void> {
    for (const batch of batches) await this.connection.call(() => this.writeOne(batch));
  }

  async find(query: ConnectionQuery): Promise<ConnectionPage> {
    return this.connection.call(async () => {
      const { connections, next } = await findConnections(
        {
          listed: (organizationId, list, range) => this.listed(organizationId, list, range),
          load: (ids) => this.load(ids),
          inRoom: async (ids, room) => {
            const keys = ids.map((id) => roomKey(id, room));
            const found = await all(findAll(this.rooms, keys));
            return found.map(({ connectionId }) => connectionId);
          },
        },
        query,
      );
      return { connections: connections.map(shownConnection), next };
    });
  }

  get(organizationId: string, connectionId: string): Promise<RecordedConnection | undefined> {
    return this.connection.call(async () => {
      const found = await this.connections.findOne({ _id: connectionId, organizationId }, readLimits());
      return found === null ? undefined : shownConnection(found.connection);
    });
  }

  timeline({ connectionId, limit, after }: TimelineQuery): Promise<readonly RecordedFact[]> {
    const filter = { connectionId, ...(after !== undefined && { place: { $gt: after } }) };
    return this.connection.call(async () => {
      const found = this.facts.find(filter, { sort: { place: 1 }, limit, ...readLimits() });
      return (await found.toArray()).map(recordedFact);
    });
  }

  handOuts(projectId: string, messageId: string): Promise<readonly RecordedFact[]> {
    return this.connection.call(async () => {
      const found = this.facts.find({ projectId, messageId }, { limit: mostHandOuts, ...readLimits() });
      return (await found.toArray()).toSorted((one, other) => one.at - other.at).map(recordedFact);
    });
  }

  coverage(during: TimeSpan): Promise<RecordCoverage> {
    return this.connection.call(async () => {
      // What is forgotten first: it may grow meanwhile, and gateways may come.
      const forgotten = await this.counts.findOne({ _id: 'forgotten' }, readLimits());
      return coverageOf(await this.allGateways(), forgotten?.value, during);
    });
  }

  giveUpSilent(since: number, now: number): Promise<readonly string[]> {
    return this.connection.call(async () => {
      const silent = { end: null, knownUpTo: { $lt: since } };
      const given: string[] = [];
      for (const { _id, ...known } of await this.gateways.find(silent, readLimits()).toArray()) {
        const lost: FoldedGateway = { ...known, end: 'lost', endedBy: now };
        // Unless it has written again.
        const { modifiedCount } = await this.gateways.replaceOne({ _id, number: known.number }, lost);
        if (modifiedCount > 0) given.push(_id);
      }
      // Also those that a process which has ended did not come to.
      for (const { gateway, knownUpTo, endedBy } of await this.gateways
        .find({ end: 'lost' }, readLimits())
        .toArray())
        await this.changeAll({ gateway, state: 'open' }, (known) => ({
          ...known,
          closed: lostEnd(knownUpTo, endedBy ?? knownUpTo),
        }));
      return given;
    });
  }

  prune(before: number): Promise<number> {
    return this.connection.call(async () => {
      let pruned = 0;
      for (let found = step; found === step; pruned += found) found = await this.forgetFacts(before);
      const ended = (await this.allGateways()).filter((known) => isForgotten(known, before));
      await this.gateways.deleteMany({ _id: { $in: ended.map(({ gateway }) => gateway) } });
      for (let found = step; found === step;) found = await this.removeSome({ lastAt: { $lt: before } });
      return pruned;
    });
  }

  removeOf(projectIds: readonly string[]): Promise<void> {
    return this.connection.call(async () => {
      for (const projectId of projectIds) {
        await this.facts.deleteMany({ projectId });
        for (let found = step; found === step;) found = await this.removeSome({ projectId });
      }
    });
  }

  checkpoint(): Promise<LogPosition | undefined> {
    return this.progress.checkpoint();
  }

  moveCheckpoint(position: LogPosition | undefined, origin?: LogOrigin): Promise<void> {
    return this.progress.move(position, origin);
  }

  origin(): Promise<LogOrigin | undefined> {
    return this.progress.origin();
  }

  nextOffset(): Promise<number | undefined> {
    return this.connection.call(
      async () => (await this.counts.findOne({ _id: 'next' }, readLimits()))?.value,
    );
  }

  moveOffset(next: number): Promise<void> {
    return this.connection.call(() => this.count('next', { $set: { value: next } }));
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  /** The gateway last: until then the batch is not there, and is written again. */
  private async writeOne(batch: FactBatch): Promise<void> {
    const known = await this.gateways.findOne({ _id: batch.gateway }, readLimits());
    const folded = foldBatch(known ?? undefined, batch);
    if (folded === undefined) return;
    const { gateway, isBack, ended } = folded;
    if (isBack)
      await this.changeAll({ gateway: batch.gateway, state: 'lost' }, (lost) => ({ ...lost, closed: null }));
    await this.writeFacts(batch);
    if (ended) await this.endUntold(batch.gateway, ended);
    const _id = batch.gateway;
    // Unless another one has written it meanwhile.
    if (known !== null) await this.gateways.replaceOne({ _id, number: known.number }, gateway);
    else
      await this.gateways.insertOne({ _id, ...gateway }).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
      });
  }

  private async writeFacts(batch: FactBatch): Promise<void> {
    const placed = placedFacts(batch);
    if (placed.length === 0) return;
    const ids = [...new Set(placed.map(({ fact }) => fact.connection))];
    const before = new Map((await this.load(ids)).map((connection) => [connection.connectionId, connection]));
    const after = new Map<string, ConnectionDocument>();
    const [rooms, facts] = [new Map<string, RoomDocument>(), [] as FactDocument[]];
    for (const each of placed) {
      const { connection, at } = each.fact;
      const former = after.get(connection)?.connection ?? before.get(connection);
      const isFolded = former !== undefined && former.last >= each.place;
      const folded = isFolded ? former : foldFact(former, each, batch.gateway);
      if (folded === undefined) continue;
      if (!isFolded) after.set(connection, connectionDocument(folded, at));
      facts.push(factDocument(folded.projectId, each));
      for (const room of roomsOf(each)) {
        const listed = roomDocument(folded, room);
        rooms.set(listed._id, listed);
      }
    }
    // The facts first: a connection that has them all is not folded again.
    await upsertAll(this.facts, facts.map(replacing));
    await upsertAll(this.rooms, [...rooms.values()].map(replacing));
    const changes = [...after.values()].map((document) => changing(document, before.get(document._id)));
    await upsertAll(this.connections, changes);
  }

  private async endUntold(gateway: string, { from, to, place }: UnsettledGap): Promise<void> {
    await this.changeAll({ gateway, state: 'open', last: { $lt: place } }, (known) => ({
      ...known,
      closed: unrecordedEnd(from, to),
    }));
  }

  private async changeAll(
    filter: Filter<ConnectionDocument> & { readonly state: ConnectionState },
    change: (known: FoldedConnection) => FoldedConnection,
  ): Promise<void> {
    for (let found = step; found === step;) {
      const documents = await this.connections.find(filter, { limit: step, ...readLimits() }).toArray();
      await upsertAll(
        this.connections,
        documents.map(({ connection, last, lastAt, _id }) => ({
          // Unless it has had another fact since.
          replaceOne: { filter: { _id, last }, replacement: connectionDocument(change(connection), lastAt) },
        })),
      );
      found = documents.length;
    }
  }

  private async listed(
    organizationId: string,
    list: ConnectionList,
    { before, limit }: { readonly before: string; readonly limit: number },
  ): Promise<readonly ListedConnection[]> {
    const options = { sort: { place: -1 }, limit, ...readLimits() } as const;
    const range = { organizationId, place: { $lt: before } };
    if (list.of === 'room') {
      const found = await this.rooms.find({ ...range, room: list.room }, options).toArray();
      return found.map(({ place, connectionId }) => ({ place, connectionId }));
    }
    const projection = { _id: 1, place: 1 } as const;
    const found = await this.connections
      .find({ ...range, ...filterOf(list) }, { ...options, projection })
      .toArray();
    return found.map(({ place, _id }) => ({ place, connectionId: _id }));
  }

  private async load(ids: readonly string[]): Promise<readonly FoldedConnection[]> {
    return (await all(findAll(this.connections, ids))).map(({ connection }) => connection);
  }

  private allGateways(): Promise<readonly GatewayDocument[]> {
    return this.gateways.find({}, readLimits()).toArray();
  }

  private async forgetFacts(before: number): Promise<number> {
    const options = { projection: { at: 1 }, sort: { at: 1 }, limit: step, ...readLimits() } as const;
    const found = await this.facts.find({ at: { $lt: before } }, options).toArray();
    const latest = found.at(-1);
    if (latest === undefined) return 0;
    // Before they are gone.
    await this.count('forgotten', { $max: { value: latest.at } });
    await this.facts.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
    return found.length;
  }

  /** Connections, without their facts. */
  private async removeSome(filter: Filter<ConnectionDocument>): Promise<number> {
    const options = { projection: { _id: 1 }, limit: step, ...readLimits() } as const;
    const ids = (await this.connections.find(filter, options).toArray()).map(({ _id }) => _id);
    if (ids.length === 0) return 0;
    await this.rooms.deleteMany({ connectionId: { $in: ids } });
    await this.connections.deleteMany({ _id: { $in: ids } });
    return ids.length;
  }

  private async count(_id: CountDocument['_id'], change: Document): Promise<void> {
    await retryingDuplicates(() => this.counts.updateOne({ _id }, change, { upsert: true }));
  }
}

const replacing = <T extends FactDocument | RoomDocument>(document: T) =>
  ({
    replaceOne: { filter: { _id: document._id }, replacement: document, upsert: true },
  }) as unknown as AnyBulkWriteOperation<T>;

/** Unless another one has written it meanwhile. */
const changing = (
  document: ConnectionDocument,
  before: FoldedConnection | undefined,
): AnyBulkWriteOperation<ConnectionDocument> => {
  const { _id } = document;
  if (before !== undefined)
    return { replaceOne: { filter: { _id, last: before.last }, replacement: document } };
  return { updateOne: { filter: { _id }, update: { $setOnInsert: document }, upsert: true } };
};

const filterOf = (list: Exclude<ConnectionList, { readonly of: 'room' }>): Filter<ConnectionDocument> => {
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

const all = async <T>(items: AsyncIterable<T>): Promise<readonly T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};

/** Connects and creates the indexes; rejects with `EngineUnavailable` while the server is unavailable. */
export const openMongoConnectionRecord = (options: MongoOptions): Promise<ConnectionRecord> =>
  openOnMongo(options, 'connection record', async (connection) => {
    const record = new MongoConnectionRecord(connection);
    await record.prepare();
    return record;
  });
