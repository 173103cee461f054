import type { Collection } from 'mongodb';
import type { GroupStore, StoredGroup } from '../../ports/groupStore.js';
import { isDuplicateKey, isNotImplemented } from '../mongo/errors.js';
import { openOnMongo, readLimits, type MongoConnection, type MongoOptions } from '../mongo/connection.js';

/** The parts of the identifier are texts that may hold anything. */
interface GroupDocument {
  readonly _id: string;
  /** For the server, which removes it then. */
  readonly expires: Date;
  /** As JSON, so that no name of a client is ever a part of the document's structure. */
  readonly group: string;
}

const idOf = (topic: string, group: string): string => JSON.stringify([topic, group]);

/** Worker groups in a collection of MongoDB. */
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
        // Such a server keeps what has expired, which only costs space.
        if (!isNotImplemented(error)) throw error;
      });
    });
  }

  async load(topic: string, group: string): Promise<StoredGroup | undefined> {
    const _id = idOf(topic, group);
    const found = await this.connection.call(() => this.groups.findOne({ _id }, readLimits()));
    return found === null ? undefined : (JSON.parse(found.group) as StoredGroup);
  }

  async write(group: StoredGroup): Promise<void> {
    const _id = idOf(group.topic, group.group);
    const document = { expires: new Date(group.expiresAt), group: JSON.stringify(group) };
    const replace = () => this.groups.replaceOne({ _id }, document, { upsert: true });
    await this.connection.call(() =>
      // Of two that make a document at the same time, one finds that it is there.
      replace().catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
        return replace();
      }),
    );
  }

  async forget(topic: string, group: string): Promise<void> {
    const _id = idOf(topic, group);
    await this.connection.call(() => this.groups.deleteOne({ _id }));
  }

  async close(): Promise<void> {
    await this.connection.close();
  }
}

/** Connects and makes the indexes; rejects with `EngineUnavailable` while the server is away. */
export const openMongoGroupStore = (options: MongoOptions): Promise<GroupStore> =>
  openOnMongo(options, 'worker groups', async (connection) => {
    const store = new MongoGroupStore(connection);
    await store.prepare();
    return store;
  });
