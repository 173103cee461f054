import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import {
  type ConnectionCount,
  formerWriters,
  type LastUse,
  type MessageCount,
  type UsageByWriter,
  type UsageStore,
} from '../../../ports/usageStore.js';
import { expireAfter, findAll, upsertAll } from '../../mongo/collections.js';
import { readLimits, type MongoConnection } from '../../mongo/connection.js';

interface StoredUse {
  readonly _id: string;
  /** ISO 8601 in one form, so that the order of the text is that of the times. */
  readonly at: string;
}

interface StoredUsage {
  /** The month and the project. */
  readonly _id: string;
  /** By writer. */
  readonly counts: Readonly<Record<string, number>>;
}

interface StoredConnections {
  /** The gateway. */
  readonly _id: string;
  readonly at: Date;
  /** By organization. */
  readonly connections: Readonly<Record<string, number>>;
}

/** Longer than any live gateway is silent. */
const connectionsExpireSeconds = 86_400;

/**
 * A document for each resource that was used, for each project and month, and for each gateway. No log can bring these back,
 * so the collections are the same for all versions and generations of the read models.
 */
export class MongoUsageStore implements UsageStore {
  private readonly uses: Collection<StoredUse>;
  private readonly published: Collection<StoredUsage>;
  private readonly connectionCounts: Collection<StoredConnections>;
  private readonly connection: MongoConnection;

  constructor(connection: MongoConnection) {
    const { database } = connection;
    this.uses = database.collection('last_uses');
    this.published = database.collection('usage');
    this.connectionCounts = database.collection('connections');
    this.connection = connection;
  }

  async prepare(): Promise<void> {
    await this.connection.call(() => expireAfter(this.connectionCounts, 'at', connectionsExpireSeconds));
  }

  async noteUses(uses: readonly LastUse[]): Promise<void> {
    await this.connection.call(() => upsertAll(this.uses, uses.map(latestUse)));
  }

  async lastUses(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.connection.call(async () => {
      const found = new Map<string, string>();
      for await (const { _id, at } of findAll(this.uses, ids)) found.set(_id, at);
      return found;
    });
  }

  async noteUsage(writer: string, counts: readonly MessageCount[]): Promise<void> {
    const operations = counts.map((count) => highestCount(writer, count));
    await this.connection.call(() => upsertAll(this.published, operations));
  }

  async mergeUsage(writer: string, counts: readonly MessageCount[]): Promise<void> {
    const operations = counts.map((count) => mergedCount(writer, count));
    await this.connection.call(() => upsertAll(this.published, operations));
  }

  async usage(projectIds: readonly string[], month: string): Promise<ReadonlyMap<string, number>> {
    const found = await this.usageByWriter(projectIds, month);
    return new Map([...found].map(([projectId, counts]) => [projectId, sum([...counts.values()])]));
  }

  async usageByWriter(projectIds: readonly string[], month: string): Promise<UsageByWriter> {
    const ids = projectIds.map((projectId) => usageId(projectId, month));
    return this.connection.call(async () => {
      const found = new Map<string, ReadonlyMap<string, number>>();
      for await (const { _id, counts } of findAll(this.published, ids))
        found.set(_id.slice(month.length + 1), new Map(Object.entries(counts)));
      return found;
    });
  }

  async noteConnections({ gatewayId, at, connections }: ConnectionCount): Promise<void> {
    const stored = { at: new Date(at), connections };
    await this.connection.call(() =>
      this.connectionCounts.replaceOne({ _id: gatewayId }, stored, { upsert: true }),
    );
  }

  async connections(organizationId: string, since: string): Promise<number> {
    return this.connection.call(async () => {
      const options = { projection: { [`connections.${organizationId}`]: 1 }, ...readLimits() };
      const live = this.connectionCounts.find({ at: { $gte: new Date(since) } }, options);
      return sum((await live.toArray()).map(({ connections }) => connections?.[organizationId] ?? 0));
    });
  }
}

const latestUse = ({ id, at }: LastUse): AnyBulkWriteOperation<StoredUse> => ({
  updateOne: { filter: { _id: id }, update: { $max: { at } }, upsert: true },
});

const usageId = (projectId: string, month: string): string => `${month} ${projectId}`;

/** The highest wins, so that a write whose answer was lost may be repeated. */
const highestCount = (
  writer: string,
  { projectId, month, messages }: MessageCount,
): AnyBulkWriteOperation<StoredUsage> => ({
  updateOne: {
    filter: { _id: usageId(projectId, month) },
    update: { $max: { [`counts.${writer}`]: messages } },
    upsert: true,
  },
});

/** One change of one document, which finds nothing the second time. */
const mergedCount = (
  writer: string,
  { projectId, month, messages }: MessageCount,
): AnyBulkWriteOperation<StoredUsage> => ({
  updateOne: {
    filter: { _id: usageId(projectId, month), [`counts.${writer}`]: messages },
    update: { $inc: { [`counts.${formerWriters}`]: messages }, $unset: { [`counts.${writer}`]: '' } },
  },
});

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
