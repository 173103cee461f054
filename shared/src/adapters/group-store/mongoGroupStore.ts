import type { Collection, MongoClient } from 'mongodb';
import { EngineUnavailable } from '../../ports/errors.js';
import type { GroupStore, StoredGroup } from '../../ports/groupStore.js';
import type { Logger } from '../../ports/logger.js';
import { once } from '../../runtime/service.js';
import { readLimits } from '../view-store/mongo/clientSettings.js';
import { EngineCalls } from '../view-store/mongo/engineCalls.js';
import { isDuplicateKey, isNotImplemented } from '../view-store/mongo/engineErrors.js';
import { openOnMongo, type MongoPlace } from '../view-store/mongo/openOnMongo.js';

export interface MongoGroupStoreOptions extends MongoPlace {
  readonly logger?: Logger;
}

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
  readonly #client: MongoClient;
  readonly #groups: Collection<GroupDocument>;
  readonly #calls: EngineCalls;
  #isOpen = true;

  constructor(client: MongoClient, { database, logger }: MongoGroupStoreOptions) {
    this.#client = client;
    this.#groups = client.db(database).collection('workerGroups');
    this.#calls = new EngineCalls(logger);
  }

  async prepare(): Promise<void> {
    await this.#call(async () => {
      await this.#client.connect();
      await this.#groups.createIndex({ expires: 1 }, { expireAfterSeconds: 0 }).catch((error: unknown) => {
        // Such a server keeps what has expired, which only costs space.
        if (!isNotImplemented(error)) throw error;
      });
    });
  }

  async load(topic: string, group: string): Promise<StoredGroup | undefined> {
    const _id = idOf(topic, group);
    const found = await this.#call(() => this.#groups.findOne({ _id }, readLimits()));
    return found === null ? undefined : (JSON.parse(found.group) as StoredGroup);
  }

  async write(group: StoredGroup): Promise<void> {
    const _id = idOf(group.topic, group.group);
    const document = { expires: new Date(group.expiresAt), group: JSON.stringify(group) };
    const replace = () => this.#groups.replaceOne({ _id }, document, { upsert: true });
    await this.#call(() =>
      // Of two that make a document at the same time, one finds that it is there.
      replace().catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
        return replace();
      }),
    );
  }

  async forget(topic: string, group: string): Promise<void> {
    const _id = idOf(topic, group);
    await this.#call(() => this.#groups.deleteOne({ _id }));
  }

  readonly close = once(async () => {
    this.#isOpen = false;
    await this.#client.close();
  });

  #call<T>(action: () => Promise<T>): Promise<T> {
    if (!this.#isOpen) return Promise.reject(new EngineUnavailable('worker groups'));
    return this.#calls.run(action);
  }
}

/** Connects and makes the indexes; rejects with `EngineUnavailable` while the server is away. */
export const openMongoGroupStore = (options: MongoGroupStoreOptions): Promise<GroupStore> =>
  openOnMongo(options, (client, database) => new MongoGroupStore(client, { ...options, database }));
