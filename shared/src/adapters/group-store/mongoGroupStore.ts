import type { Collection } from 'mongodb';
import type { GroupStore, GroupCheckpoint } from '../../ports/groupStore.js';
import { isDuplicateKey, isNotImplemented } from '../mongo/errors.js';
import { openOnMongo, readLimits, type MongoConnection, type MongoOptions } from '../mongo/connection.js';

/** The parts of the id may contain any character. */
interface GroupDocument {
  readonly _id: string;
  /** When the server removes it. */
  readonly expires: Date;
  /** As JSON, so that names that clients choose are never keys of the document. */
  readonly group: string;
}

const idOf = (topic: string, group: string): string => JSON.stringify([topic, group]);

/** Checkpoints of worker groups in a collection of MongoDB. */
class MongoGroupStore implements GroupStore {
  private readonly connection: MongoConnection;
  private readonly groups: Collection<GroupDocument>;

  constructor(connection: MongoConnection) {
    this.connection = connection;
    this.groups = connection.database.collection('workerGroups');
  }

  async prepare(): Promise<void> {
    await this.connection.call(async () => {
      await this.groups.createIndex({ expires: 1 }, { expireAfterSeconds: 0 }).catch((error: unknown) => {
        // Such a server keeps expired documents, which only costs space.
        if (!isNotImplemented(error)) throw error;
      });
    });
  }

  async load(topic: string, group: string): Promise<GroupCheckpoint | undefined> {
    const _id = idOf(topic, group);
    const found = await this.connection.call(() => this.groups.findOne({ _id }, readLimits()));
    return found === null ? undefined : (JSON.parse(found.group) as GroupCheckpoint);
  }

  async write(group: GroupCheckpoint): Promise<void> {
    const _id = idOf(group.topic, group.group);
    const document = { expires: new Date(group.expiresAt), group: JSON.stringify(group) };
    const replace = () => this.groups.replaceOne({ _id }, document, { upsert: true });
    await this.connection.call(() =>
      // Of two concurrent upserts of a new document, one is rejected.
      replace().catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
        return replace();
      }),
    );
  }

  async remove(topic: string, group: string): Promise<void> {
    const _id = idOf(topic, group);
    await this.connection.call(() => this.groups.deleteOne({ _id }));
  }

  async close(): Promise<void> {
    await this.connection.close();
  }
}

/** Connects and creates the indexes; rejects with `EngineUnavailable` while the server cannot be reached. */
export const openMongoGroupStore = (options: MongoOptions): Promise<GroupStore> =>
  openOnMongo(options, 'worker groups', async (connection) => {
    const store = new MongoGroupStore(connection);
    await store.prepare();
    return store;
  });
