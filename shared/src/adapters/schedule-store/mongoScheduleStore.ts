import type { AnyBulkWriteOperation, Collection, Filter } from 'mongodb';
import type { LogOrigin, LogPosition } from '../../ports/eventLog.js';
import type {
  BegunDelivery,
  DeliveryBegin,
  HeldSchedules,
  NewSchedule,
  ScheduledPublish,
  ScheduleFilter,
  ScheduleStore,
} from '../../ports/scheduleStore.js';
import { makeIndex, removeAll } from '../mongo/collections.js';
import {
  durably,
  openOnMongo,
  readLimits,
  type MongoConnection,
  type MongoOptions,
} from '../mongo/connection.js';
import { duplicatesIn } from '../mongo/errors.js';
import { FollowProgress } from '../mongo/followProgress.js';
import {
  begunIn,
  documentOf,
  publishIn,
  type ListedDocument,
  type ScheduleDocument,
} from './scheduleDocuments.js';

const inAnyOrder = { ordered: false, ...durably };

/** Without the data. */
const listed = { publish: 1 } as const;

/** Scheduled publishes in a collection of MongoDB. */
class MongoScheduleStore implements ScheduleStore {
  private readonly connection: MongoConnection;
  private readonly schedules: Collection<ScheduleDocument>;
  private readonly progress: FollowProgress;

  constructor(connection: MongoConnection) {
    this.connection = connection;
    this.schedules = connection.database.collection('schedules');
    this.progress = new FollowProgress(connection, 'scheduleProgress');
  }

  async prepare(): Promise<void> {
    await this.connection.call(async () => {
      await makeIndex(this.schedules, { deliverAt: 1, place: 1, shard: 1 });
      await makeIndex(this.schedules, { projectId: 1, deliverAt: 1, place: 1 });
      await makeIndex(this.schedules, { projectId: 1, topic: 1, deliverAt: 1, place: 1 });
      await makeIndex(this.schedules, { projectId: 1, bytes: 1 });
      await makeIndex(this.schedules, { owners: 1 });
    });
  }

  async add(schedules: readonly NewSchedule[]): Promise<void> {
    let missing = schedules.map(documentOf);
    while (missing.length > 0) missing = await this.addUntilKnown(missing);
  }

  cancel(projectId: string, scheduledId: string): Promise<boolean> {
    const waiting = { _id: scheduledId, projectId, messageId: null };
    return this.connection.call(async () => {
      const { deletedCount } = await this.schedules.deleteOne(waiting, durably);
      return deletedCount === 1;
    });
  }

  list(projectId: string, { topic, after, limit }: ScheduleFilter): Promise<readonly ScheduledPublish[]> {
    const filter: Filter<ScheduleDocument> = {
      ...{ projectId, messageId: null },
      ...(topic !== undefined && { topic }),
      ...(after !== undefined && {
        $or: [
          { deliverAt: { $gt: after.deliverAt } },
          { deliverAt: after.deliverAt, place: { $gt: after.place } },
        ],
      }),
    };
    return this.find(filter, limit);
  }

  held(projectId: string): Promise<HeldSchedules> {
    const sum = { $group: { _id: null, bytes: { $sum: '$bytes' } } };
    return this.connection.call(async () => {
      // Apart: servers that only speak the protocol may give one of two sums alone.
      const messages = await this.schedules.countDocuments({ projectId }, readLimits());
      const [held] = await this.schedules
        .aggregate<Pick<HeldSchedules, 'bytes'>>([{ $match: { projectId } }, sum], readLimits())
        .toArray();
      return { messages, bytes: held?.bytes ?? 0 };
    });
  }

  due(shards: readonly number[], until: number, limit: number): Promise<readonly ScheduledPublish[]> {
    return this.find({ deliverAt: { $lte: until }, shard: { $in: [...shards] } }, limit);
  }

  /** First those that nobody has begun get their name, and the term of those that were begun before rises; then it is read what has succeeded. */
  begin(deliveries: readonly DeliveryBegin[]): Promise<readonly BegunDelivery[]> {
    if (deliveries.length === 0) return Promise.resolve([]);
    return this.connection.call(async () => {
      await this.schedules.bulkWrite(deliveries.flatMap(beginning), inAnyOrder);
      const found = await this.schedules
        .find({ _id: { $in: deliveries.map(({ scheduledId }) => scheduledId) } }, readLimits())
        .toArray();
      const byId = new Map(found.map((document) => [document._id, document]));
      return deliveries.flatMap(({ scheduledId, term, messageId }) => {
        const document = byId.get(scheduledId);
        return document?.term === term ? [begunIn(document, messageId)] : [];
      });
    });
  }

  async end(deliveries: readonly Pick<DeliveryBegin, 'scheduledId' | 'term'>[]): Promise<void> {
    if (deliveries.length === 0) return;
    await this.connection.call(() =>
      this.schedules.bulkWrite(
        deliveries.map(({ scheduledId, term }) => ({
          deleteOne: { filter: { _id: scheduledId, term: { $lte: term } } },
        })),
        inAnyOrder,
      ),
    );
  }

  removeOf(owners: readonly string[]): Promise<number> {
    return this.connection.call(() => removeAll(this.schedules, { owners: { $in: [...owners] } }, durably));
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

  close(): Promise<void> {
    return this.connection.close();
  }

  /** In their order; resolves with those behind one that is there already. */
  private addUntilKnown(documents: readonly ScheduleDocument[]): Promise<ScheduleDocument[]> {
    return this.connection.call(async () => {
      try {
        await this.schedules.insertMany(documents, durably);
        return [];
      } catch (error) {
        const [known] = duplicatesIn(error) ?? [];
        if (known === undefined) throw error;
        await this.replaceEarlier(documents[known] as ScheduleDocument);
        return documents.slice(known + 1);
      }
    });
  }

  /** By one that was accepted later. */
  private async replaceEarlier({ _id, ...document }: ScheduleDocument): Promise<void> {
    const earlier = { _id, messageId: null, place: { $lt: document.place } };
    await this.schedules.replaceOne(earlier, document, durably);
  }

  private find(filter: Filter<ScheduleDocument>, limit: number): Promise<readonly ScheduledPublish[]> {
    return this.connection.call(async () => {
      const found = await this.schedules
        .find<ListedDocument>(filter, { projection: listed, ...readLimits() })
        .sort({ deliverAt: 1, place: 1 })
        .limit(limit)
        .toArray();
      return found.map(publishIn);
    });
  }
}

const beginning = ({
  scheduledId: _id,
  term,
  messageId,
}: DeliveryBegin): readonly AnyBulkWriteOperation<ScheduleDocument>[] => [
  {
    updateOne: {
      filter: { _id, term: { $lte: term }, messageId: null },
      update: { $set: { term, messageId } },
    },
  },
  { updateOne: { filter: { _id, term: { $lt: term } }, update: { $set: { term } } } },
];

/** Connects and makes the indexes; rejects with `EngineUnavailable` while the server is away. */
export const openMongoScheduleStore = (options: MongoOptions): Promise<ScheduleStore> =>
  openOnMongo(options, 'schedules', async (connection) => {
    const store = new MongoScheduleStore(connection);
    await store.prepare();
    return store;
  });
