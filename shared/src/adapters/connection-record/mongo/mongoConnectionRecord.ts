import type { Collection, Document, Filter } from 'mongodb';
import type {
  ConnectionPage,
  ConnectionQuery,
  ConnectionRecord,
  RecordCoverage,
  RecordedConnection,
  RecordedFact,
  RunningGateway,
  TimelineQuery,
  TimeSpan,
} from '../../../ports/connectionRecord.js';
import type { LogOrigin, LogPosition } from '../../../ports/eventLog.js';
import type { FactBatch } from '../../../wire/bus/connectionFacts.js';
import { findAll, removeAll, removeInSteps, retryingDuplicates } from '../../mongo/collections.js';
import { openOnMongo, readLimits, type MongoConnection, type MongoOptions } from '../../mongo/connection.js';
import { FollowProgress } from '../../mongo/followProgress.js';
import { shownConnection } from '../connectionFold.js';
import { coverageOf } from '../coverage.js';
import { findConnections, type ConnectionList, type ListedConnection } from '../findConnections.js';
import { isForgotten } from '../gatewayFold.js';
import {
  recordedFact,
  roomKey,
  type ConnectionDocument,
  type GatewayDocument,
} from './connectionDocuments.js';
import { writeBatches } from './factWriting.js';
import { giveUp, runningGateways } from './givingUp.js';
import {
  all,
  filterOf,
  loadConnections,
  makeRecordIndexes,
  recordCollections,
  type RecordCollections,
} from './recordCollections.js';

const mostHandOuts = 1_000;

interface CountDocument {
  readonly _id: 'forgotten' | 'next';
  readonly value: number;
}

/** The record of connections in collections of MongoDB. */
class MongoConnectionRecord implements ConnectionRecord {
  private readonly connection: MongoConnection;
  private readonly collections: RecordCollections;
  private readonly counts: Collection<CountDocument>;
  private readonly progress: FollowProgress;

  constructor(connection: MongoConnection) {
    this.connection = connection;
    const { database } = connection;
    this.collections = recordCollections(database);
    this.counts = database.collection('connectionCounts');
    this.progress = new FollowProgress(connection, 'connectionProgress');
  }

  async prepare(): Promise<void> {
    await this.connection.call(() => makeRecordIndexes(this.collections));
  }

  async write(batches: readonly FactBatch[]): Promise<void> {
    for (let rest = batches; rest.length > 0;) {
      const some = rest;
      rest = await this.connection.call(() => writeBatches(this.collections, some));
    }
  }

  async find(query: ConnectionQuery): Promise<ConnectionPage> {
    return this.connection.call(async () => {
      const { connections, next } = await findConnections(
        {
          listed: (organizationId, list, range) => this.listed(organizationId, list, range),
          load: (ids) => loadConnections(this.collections, ids),
          inRoom: async (ids, room) => {
            const keys = ids.map((id) => roomKey(id, room));
            const found = await all(findAll(this.collections.rooms, keys));
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
      const found = await this.collections.connections.findOne(
        { _id: connectionId, organizationId },
        readLimits(),
      );
      return found === null ? undefined : shownConnection(found.connection);
    });
  }

  timeline({ connectionId, limit, after }: TimelineQuery): Promise<readonly RecordedFact[]> {
    const filter = { connectionId, ...(after !== undefined && { place: { $gt: after } }) };
    return this.connection.call(async () => {
      const found = this.collections.facts.find(filter, { sort: { place: 1 }, limit, ...readLimits() });
      return (await found.toArray()).map(recordedFact);
    });
  }

  handOuts(projectId: string, messageId: string): Promise<readonly RecordedFact[]> {
    return this.connection.call(async () => {
      const found = this.collections.facts.find(
        { projectId, messageId },
        { limit: mostHandOuts, ...readLimits() },
      );
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

  running(): Promise<readonly RunningGateway[]> {
    return this.connection.call(() => runningGateways(this.collections));
  }

  giveUp(gateways: readonly RunningGateway[], now: number): Promise<readonly string[]> {
    return this.connection.call(() => giveUp(this.collections, gateways, now));
  }

  prune(before: number): Promise<number> {
    return this.connection.call(async () => {
      const pruned = await this.forgetFacts(before);
      const ended = (await this.allGateways()).filter((known) => isForgotten(known, before));
      await this.collections.gateways.deleteMany({ _id: { $in: ended.map(({ gateway }) => gateway) } });
      await this.removeConnections({ lastAt: { $lt: before } });
      return pruned;
    });
  }

  removeOf(projectIds: readonly string[]): Promise<void> {
    return this.connection.call(async () => {
      for (const projectId of projectIds) {
        await removeAll(this.collections.facts, { projectId });
        await this.removeConnections({ projectId });
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
    return this.connection.call(() => this.count('next', { $max: { value: next } }));
  }

  resetOffset(known: number, next: number): Promise<void> {
    const reset = { $set: { value: next } };
    return this.connection.call(
      async () => void (await this.counts.updateOne({ _id: 'next', value: known }, reset)),
    );
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  private async listed(
    organizationId: string,
    list: ConnectionList,
    { before, limit }: { readonly before: string; readonly limit: number },
  ): Promise<readonly ListedConnection[]> {
    const options = { sort: { place: -1 }, limit, ...readLimits() } as const;
    const range = { organizationId, place: { $lt: before } };
    if (list.of === 'room') {
      const found = await this.collections.rooms.find({ ...range, room: list.room }, options).toArray();
      return found.map(({ place, connectionId }) => ({ place, connectionId }));
    }
    const projection = { _id: 1, place: 1 } as const;
    const found = await this.collections.connections
      .find({ ...range, ...filterOf(list) }, { ...options, projection })
      .toArray();
    return found.map(({ place, _id }) => ({ place, connectionId: _id }));
  }

  private allGateways(): Promise<readonly GatewayDocument[]> {
    return this.collections.gateways.find({}, readLimits()).toArray();
  }

  private forgetFacts(before: number): Promise<number> {
    const { facts } = this.collections;
    const options = { projection: { at: 1 }, sort: { at: 1 }, ...readLimits() } as const;
    return removeInSteps(
      (limit) => facts.find({ at: { $lt: before } }, { ...options, limit }).toArray(),
      async (found) => {
        // Before they are gone.
        await this.count('forgotten', { $max: { value: found.at(-1)?.at } });
        await facts.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
        return found.length;
      },
    );
  }

  /** Without their facts. */
  private removeConnections(filter: Filter<ConnectionDocument>): Promise<number> {
    const { connections, rooms } = this.collections;
    const options = { projection: { _id: 1 }, ...readLimits() } as const;
    return removeInSteps(
      (limit) => connections.find(filter, { ...options, limit }).toArray(),
      async (found) => {
        const ids = found.map(({ _id }) => _id);
        await rooms.deleteMany({ connectionId: { $in: ids } });
        await connections.deleteMany({ _id: { $in: ids } });
        return ids.length;
      },
    );
  }

  private async count(_id: CountDocument['_id'], change: Document): Promise<void> {
    await retryingDuplicates(() => this.counts.updateOne({ _id }, change, { upsert: true }));
  }
}

/** Connects and creates the indexes; rejects with `EngineUnavailable` while the server is unavailable. */
export const openMongoConnectionRecord = (options: MongoOptions): Promise<ConnectionRecord> =>
  openOnMongo(options, 'connection record', async (connection) => {
    const record = new MongoConnectionRecord(connection);
    await record.prepare();
    return record;
  });
