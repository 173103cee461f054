import type { Collection } from 'mongodb';
import type { SessionStore, SessionWrite, StoredSession } from '../../ports/sessionStore.js';
import { isDuplicateKey, isNotImplemented } from '../mongo/errors.js';
import { openOnMongo, readLimits, type MongoConnection, type MongoOptions } from '../mongo/connection.js';

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
  private readonly connection: MongoConnection;
  private readonly sessions: Collection<SessionDocument>;

  constructor(connection: MongoConnection) {
    this.connection = connection;
    this.sessions = connection.database.collection('sessions');
  }

  async prepare(): Promise<void> {
    await this.connection.call(async () => {
      await this.sessions.createIndex({ actorTokenId: 1 });
      await this.sessions.createIndex({ expires: 1 }, { expireAfterSeconds: 0 }).catch((error: unknown) => {
        // Such a server keeps expired documents, which only costs space.
        if (!isNotImplemented(error)) throw error;
      });
    });
  }

  async load(actorTokenId: string, instance: string): Promise<StoredSession | undefined> {
    const _id = idOf(actorTokenId, instance);
    const found = await this.connection.call(() => this.sessions.findOne({ _id }, readLimits()));
    return found === null ? undefined : (JSON.parse(found.session) as StoredSession);
  }

  async write(batch: readonly SessionWrite[]): Promise<readonly boolean[]> {
    return this.connection.call(() => Promise.all(batch.map((write) => this.put(write))));
  }

  async forget(actorTokenId: string): Promise<void> {
    await this.connection.call(() => this.sessions.deleteMany({ actorTokenId }));
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

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
}

/** Connects and makes the indexes; rejects with `EngineUnavailable` while the server is away. */
export const openMongoSessionStore = (options: MongoOptions): Promise<SessionStore> =>
  openOnMongo(options, 'sessions', async (connection) => {
    const store = new MongoSessionStore(connection);
    await store.prepare();
    return store;
  });
