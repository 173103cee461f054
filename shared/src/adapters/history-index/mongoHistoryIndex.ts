import type { Clock } from '../../ports/clock.js';
import type { LogOrigin, LogPosition } from '../../ports/eventLog.js';
import type { HistoryOwners, HistoryTopic } from '../../ports/history.js';
import type {
  HistoryIndex,
  IndexedPartition,
  IndexedRecord,
  IndexedTopic,
} from '../../ports/historyIndex.js';
import type { Place } from '../../wire/protocol/position.js';
import { makeIndex, upsertAll } from '../mongo/collections.js';
import {
  durably,
  openOnMongo,
  readLimits,
  type MongoConnection,
  type MongoOptions,
} from '../mongo/connection.js';
import { FollowProgress } from '../mongo/followProgress.js';
import { systemClock } from '../system/systemClock.js';
import { BucketPages } from './bucketPages.js';
import { removeSome, removeTopic } from './bucketRemoval.js';
import { historyCollections, type HistoryCollections, type TopicDocument } from './historyDocuments.js';
import { ownedTopic, topicKeyOf, type OwnedTopic } from './keptTopics.js';
import { MongoAppends } from './mongoAppends.js';
import { MongoPartitions } from './mongoPartitions.js';
import { removedOwnersMs } from './removal.js';
import { Conflict, markDeleted } from './topicDocuments.js';

/** Topics, or owners, in one request. */
const step = 100;
/** Of a removal that others come between. */
const attempts = 10;

/** The messages of topics with history in collections of MongoDB, some hundred messages a document. */
class MongoHistoryIndex implements HistoryIndex {
  private readonly connection: MongoConnection;
  private readonly clock: Clock;
  private readonly collections: HistoryCollections;
  private readonly progress: FollowProgress;
  private readonly partitions: MongoPartitions;
  private readonly appends: MongoAppends;

  constructor(connection: MongoConnection, clock: Clock) {
    this.connection = connection;
    this.clock = clock;
    this.collections = historyCollections(connection.database);
    this.progress = new FollowProgress(connection, 'historyProgress', durably);
    this.partitions = new MongoPartitions(this.collections);
    this.appends = new MongoAppends(this.collections, this.partitions);
  }

  async prepare(): Promise<void> {
    await this.connection.call(async () => {
      await makeIndex(this.collections.topics, { owners: 1, _id: 1 });
      await makeIndex(this.collections.topics, { dueAt: 1 });
      await makeIndex(this.collections.removed, { removedAt: 1 });
    });
  }

  partition(partition: number): Promise<IndexedPartition | undefined> {
    return this.connection.call(() => this.partitions.get(partition));
  }

  begin(partition: number, former: number | undefined, to: IndexedPartition): Promise<IndexedPartition> {
    return this.connection.call(() => this.partitions.begin(partition, former, to));
  }

  append(partition: number, records: readonly IndexedRecord[], to: IndexedPartition): Promise<void> {
    return this.connection.call(() => this.appends.append(partition, records, to));
  }

  async topic(topic: HistoryTopic): Promise<IndexedTopic> {
    const _id = topicKeyOf(topic);
    const found = await this.connection.call(() => this.collections.topics.findOne({ _id }, readLimits()));
    const known = found ?? { _id, first: 1, last: 0, newest: null, removedTo: null, deletedTo: null };
    const pages = new BucketPages(this.connection, this.collections, known);
    return {
      newest: known.newest ?? undefined,
      removedTo: known.removedTo ?? undefined,
      deletedTo: known.deletedTo ?? undefined,
      newestFirst: (before) => pages.newestFirst(before),
      oldestFirst: (after) => pages.oldestFirst(after),
    };
  }

  deleteTopic(topic: HistoryTopic, owners: HistoryOwners, to: Place): Promise<void> {
    return this.connection.call(async () => {
      const key = topicKeyOf(topic);
      const marked = await markDeleted(this.collections, key, { ...topic, ...owners }, to);
      if (marked !== undefined) await this.removeAll(marked, this.clock.now());
    });
  }

  removeOf(owners: readonly string[]): Promise<void> {
    return this.connection.call(async () => {
      const { removed, topics } = this.collections;
      const removedAt = this.clock.now();
      for (let from = 0; from < owners.length; from += step) {
        const some = owners.slice(from, from + step);
        await upsertAll(
          removed,
          some.map((_id) => ({
            updateOne: { filter: { _id }, update: { $set: { removedAt } }, upsert: true },
          })),
        );
        for (;;) {
          const found = await topics
            .find({ owners: { $in: some } }, { projection: { _id: 1 }, limit: step })
            .toArray();
          for (const each of found) await removeTopic(this.collections, each);
          if (found.length < step) break;
        }
      }
    });
  }

  async *topicsOf(appId: string): AsyncGenerator<readonly OwnedTopic[]> {
    for (let after = ''; ;) {
      const filter = { owners: appId, _id: { $gt: after } };
      const found = await this.connection.call(() =>
        this.collections.topics
          .find(filter, { limit: step, ...readLimits() })
          .sort({ _id: 1 })
          .toArray(),
      );
      const ofApp = found.filter((topic) => topic.appId === appId);
      if (ofApp.length > 0) yield ofApp.map(ownedTopic);
      const last = found.at(-1);
      if (last === undefined) return;
      after = last._id;
    }
  }

  prune(now: number): Promise<number> {
    return this.connection.call(async () => {
      const { topics, removed } = this.collections;
      await removed.deleteMany({ removedAt: { $lte: now - removedOwnersMs } });
      const seen = new Set<string>();
      for (let count = 0; ;) {
        const due = await topics.find({ dueAt: { $lte: now } }, { limit: step, ...readLimits() }).toArray();
        const unseen = due.filter(({ _id }) => !seen.has(_id));
        // Those that are due once more are changed by others all the time.
        if (unseen.length === 0) return count;
        for (const topic of unseen) {
          seen.add(topic._id);
          count += await this.removeAll(topic, now);
        }
      }
    });
  }

  checkpoint(): Promise<LogPosition | undefined> {
    return this.progress.checkpoint();
  }

  origin(): Promise<LogOrigin | undefined> {
    return this.progress.origin();
  }

  moveCheckpoint(position: LogPosition | undefined, origin?: LogOrigin): Promise<void> {
    return this.progress.move(position, origin);
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  /** In steps. Where others always come between, the rest is done when the index is pruned. */
  private async removeAll(topic: TopicDocument, now: number): Promise<number> {
    let [current, count, conflicts]: [TopicDocument | null, number, number] = [topic, 0, 0];
    while (current !== null && conflicts < attempts) {
      try {
        const { removed, isMore } = await removeSome(this.collections, current, now);
        count += removed;
        if (!isMore) break;
      } catch (error) {
        if (!(error instanceof Conflict)) throw error;
        conflicts += 1;
      }
      current = await this.collections.topics.findOne({ _id: topic._id }, readLimits());
    }
    return count;
  }
}

/** Connects and makes the indexes; rejects with `EngineUnavailable` while the server is away. */
export const openMongoHistoryIndex = (
  options: MongoOptions,
  clock: Clock = systemClock,
): Promise<HistoryIndex> =>
  openOnMongo(options, 'message history', async (connection) => {
    const index = new MongoHistoryIndex(connection, clock);
    await index.prepare();
    return index;
  });
