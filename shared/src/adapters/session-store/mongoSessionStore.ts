import type { Collection, MongoClient } from 'mongodb';
import { EngineUnavailable } from '../../ports/errors.js';
import type { Logger } from '../../ports/logger.js';
import type { SessionStore, SessionWrite, StoredSession } from '../../ports/sessionStore.js';
import { once } from '../../runtime/service.js';
import { readLimits } from '../view-store/mongo/clientSettings.js';
import { EngineCalls } from '../view-store/mongo/engineCalls.js';
import { isDuplicateKey, isNotImplemented } from '../view-store/mongo/engineErrors.js';
import { openOnMongo, type MongoPlace } from '../view-store/mongo/openOnMongo.js';

export interface MongoSessionStoreOptions extends MongoPlace {
  readonly logger?: Logger;
}

/** The parts of the identifier are texts that may hold anything. */
interface SessionDocument {
  readonly _id: string;
  readonly actorTokenId: string;
  readonly keeper: string;
  /** For the server, which removes it then. */
  readonly expires: Date;
  /** As JSON, so that no value of a client is ever a part of the document's structure. */
  readonly session: string;
}

const idOf = (actorTokenId: string, instance: string): string => JSON.stringify([actorTokenId, instance]);

/** Sessions in a collection of MongoDB. */
class MongoSessionStore implements SessionStore {
  private readonly client: MongoClient;
  private readonly sessions: Collection<SessionDocument>;
  private readonly calls: EngineCalls;
  private isOpen = true;

  constructor(client: MongoClient, { database, logger }: MongoSessionStoreOptions) {
    this.client = client;
    this.sessions = client.db(database).collection('sessions');
    this.calls = new EngineCalls(logger);
  }

  async prepare(): Promise<void> {
    await this.call(async () => {
      await this.client.connect();
      await this.sessions.createIndex({ actorTokenId: 1 });
      await this.sessions.createIndex({ expires: 1 }, { expireAfterSeconds: 0 }).catch((error: unknown) => {
        // Such a server keeps what has expired, which only costs space.
        if (!isNotImplemented(error)) throw error;
      });
    });
  }

  async load(actorTokenId: string, instance: string): Promise<StoredSession | undefined> {
    const _id = idOf(actorTokenId, instance);
    const found = await this.call(() => this.sessions.findOne({ _id }, readLimits()));
    return found === null ? undefined : (JSON.parse(found.session) as StoredSession);
  }

  async write(batch: readonly SessionWrite[]): Promise<readonly boolean[]> {
    return this.call(() => Promise.all(batch.map((write) => this.put(write))));
  }

  async forget(actorTokenId: string): Promise<void> {
    await this.call(() => this.sessions.deleteMany({ actorTokenId }));
  }

  readonly close = once(async () => {
    this.isOpen = false;
    await this.client.close();
  });

  private async put({ session, takesOver }: SessionWrite): Promise<boolean> {
    const { actorTokenId, instance, keeper, expiresAt } = session;
    const _id = idOf(actorTokenId, instance);
    const document = { actorTokenId, keeper, expires: new Date(expiresAt), session: JSON.stringify(session) };
    if (!takesOver) return (await this.sessions.replaceOne({ _id, keeper }, document)).matchedCount > 0;
    const replace = () => this.sessions.replaceOne({ _id }, document, { upsert: true });
    // Of two that make a document at the same time, one finds that it is there.
    await replace().catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
      return replace();
    });
    return true;
  }

  private call<T>(action: () => Promise<T>): Promise<T> {
    if (!this.isOpen) return Promise.reject(new EngineUnavailable('sessions'));
    return this.calls.run(action);
  }
}

/** Connects and makes the indexes; rejects with `EngineUnavailable` while the server is away. */
export const openMongoSessionStore = (options: MongoSessionStoreOptions): Promise<SessionStore> =>
  openOnMongo(options, (client, database) => new MongoSessionStore(client, { ...options, database }));
