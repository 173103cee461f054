import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type {
  ActivityFound,
  ActivityRange,
  ActivityStore,
  ActivityWriter,
  MinuteAccount,
} from '../../ports/activityStore.js';
import { makeIndex } from '../mongo/collections.js';
import { openOnMongo, readLimits, type MongoConnection, type MongoOptions } from '../mongo/connection.js';
import { accountsOf, hourOf, placeOf, type HourCounts } from './activityHours.js';

interface HourDocument {
  readonly _id: string;
  readonly projectId: string;
  readonly hour: number;
  readonly minutes: HourCounts;
}

type WriterDocument = Omit<ActivityWriter, 'writer'> & { readonly _id: string };

/** Writes in one request. */
const writesAtOnce = 500;

/** The activity of projects in two collections of MongoDB. */
class MongoActivityStore implements ActivityStore {
  private readonly connection: MongoConnection;
  private readonly hours: Collection<HourDocument>;
  private readonly writers: Collection<WriterDocument>;

  constructor(connection: MongoConnection) {
    this.connection = connection;
    this.hours = connection.database.collection('activity');
    this.writers = connection.database.collection('activityWriters');
  }

  async prepare(): Promise<void> {
    await this.connection.call(async () => {
      await makeIndex(this.hours, { projectId: 1, hour: 1 });
      await makeIndex(this.hours, { hour: 1 });
    });
  }

  async note(accounts: readonly MinuteAccount[], { writer, ...state }: ActivityWriter): Promise<void> {
    await this.connection.call(async () => {
      const writes = accounts.flatMap((account) => writesOf(account, writer));
      for (let from = 0; from < writes.length; from += writesAtOnce)
        await this.hours.bulkWrite(writes.slice(from, from + writesAtOnce), { ordered: false });
      await this.writers.updateOne({ _id: writer }, { $set: state }, { upsert: true });
    });
  }

  find({ projectId, from, to }: ActivityRange): Promise<ActivityFound> {
    return this.connection.call(async () => {
      // First: what a writer has told by then is in the accounts.
      const writers = await this.writers.find({}, readLimits()).toArray();
      const hour = { $gte: hourOf(from), $lte: hourOf(to - 1) };
      const hours = await this.hours.find({ projectId, hour }, readLimits()).toArray();
      return {
        writers: writers.map(({ _id, ...state }) => ({ writer: _id, ...state })),
        accounts: hours.flatMap((one) => accountsOf(one.hour, one.minutes)),
      };
    });
  }

  async prune(before: number): Promise<void> {
    await this.connection.call(async () => {
      await this.hours.deleteMany({ hour: { $lt: hourOf(before) } });
      await this.writers.deleteMany({ upTo: { $lt: before } });
    });
  }

  async close(): Promise<void> {
    await this.connection.close();
  }
}

const writesOf = (
  { minute, projects }: MinuteAccount,
  writer: string,
): readonly AnyBulkWriteOperation<HourDocument>[] =>
  [...projects].map(([projectId, counts]) => ({
    updateOne: {
      filter: { _id: `${projectId} ${hourOf(minute)} ${writer}` },
      update: { $set: { projectId, hour: hourOf(minute), [`minutes.${placeOf(minute)}`]: [...counts] } },
      upsert: true,
    },
  }));

/** Connects and creates the indexes; rejects with `EngineUnavailable` while the server is unavailable. */
export const openMongoActivityStore = (options: MongoOptions): Promise<ActivityStore> =>
  openOnMongo(options, 'activity of projects', async (connection) => {
    const store = new MongoActivityStore(connection);
    await store.prepare();
    return store;
  });
