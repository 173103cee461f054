import type { Collection } from 'mongodb';
import type {
  ForgottenSession,
  SessionsWritten,
  SessionStore,
  SessionWrite,
  StoredSession,
} from '../../ports/sessionStore.js';
import { defaultSessionLimits, projectOf, sessionSize, type SessionLimits } from './sessionLimits.js';
import { isDuplicateKey, isNotImplemented } from '../mongo/errors.js';
import { openOnMongo, readLimits, type MongoConnection, type MongoOptions } from '../mongo/connection.js';

/** The parts of the identifier are texts that may hold anything. */
interface SessionDocument {
  readonly _id: string;
  readonly actorTokenId: string;
  readonly projectId: string;
  readonly keeper: string;
  /** In bytes, about. */
  readonly size: number;
  /** For the server, which removes it then. */
  readonly expires: Date;
  /** As JSON, so that no value of a client is ever a part of the document's structure. */
  readonly session: string;
}

const idOf = (actorTokenId: string, instance: string): string => JSON.stringify([actorTokenId, instance]);

/** The bytes of a project are counted each time so many of its budget were written. */
const countedAfter = 1 / 64;

/** Sessions in a collection of MongoDB. */
class MongoSessionStore implements SessionStore {
  private readonly connection: MongoConnection;
  private readonly sessions: Collection<SessionDocument>;
  private readonly limits: SessionLimits;
  /** Bytes of each project since they were last counted. */
  private readonly written = new Map<string, number>();

  constructor(connection: MongoConnection, limits: SessionLimits) {
    this.connection = connection;
    this.limits = limits;
    this.sessions = connection.database.collection('sessions');
  }

  async prepare(): Promise<void> {
    await this.connection.call(async () => {
      await this.sessions.createIndex({ actorTokenId: 1 });
      await this.sessions.createIndex({ projectId: 1, expires: 1 });
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

  async write(batch: readonly SessionWrite[]): Promise<SessionsWritten> {
    return this.connection.call(async () => {
      const outcomes = await Promise.all(batch.map((write) => this.put(write)));
      const sessions = batch.map(({ session }) => session);
      const added = sessions.filter((_, index) => outcomes[index] === 'added');
      const changed = sessions.filter((_, index) => outcomes[index] !== 'refused');
      const forgotten = [...(await this.forgetOfActors(added)), ...(await this.forgetOfProjects(changed))];
      return { written: outcomes.map((outcome) => outcome !== 'refused'), forgotten };
    });
  }

  async forget(actorTokenId: string): Promise<void> {
    await this.connection.call(() => this.sessions.deleteMany({ actorTokenId }));
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  private async put({ session, takesOver }: SessionWrite): Promise<'added' | 'replaced' | 'refused'> {
    const { actorTokenId, instance, keeper, expiresAt } = session;
    const _id = idOf(actorTokenId, instance);
    const document = {
      ...{ actorTokenId, projectId: projectOf(session), keeper, size: sessionSize(session) },
      ...{ expires: new Date(expiresAt), session: JSON.stringify(session) },
    };
    if (!takesOver) {
      const { matchedCount } = await this.sessions.replaceOne({ _id, keeper }, document);
      return matchedCount > 0 ? 'replaced' : 'refused';
    }
    const replace = () => this.sessions.replaceOne({ _id }, document, { upsert: true });
    // Of two that make a document at the same time, one finds that it is there.
    const { upsertedCount } = await replace().catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
      return replace();
    });
    return upsertedCount > 0 ? 'added' : 'replaced';
  }

  private async forgetOfActors(added: readonly StoredSession[]): Promise<readonly ForgottenSession[]> {
    const forgotten: ForgottenSession[] = [];
    for (const [actorTokenId, session] of new Map(added.map((one) => [one.actorTokenId, one]))) {
      const count = await this.sessions.countDocuments({ actorTokenId }, readLimits());
      const tooMany = count - this.limits.perActor;
      if (tooMany <= 0) continue;
      const oldest = await this.oldest({ actorTokenId }).limit(tooMany).toArray();
      await this.sessions.deleteMany({ _id: { $in: oldest.map(({ _id }) => _id) } });
      const limit = 'sessionsPerActor';
      forgotten.push(...oldest.map(() => ({ projectId: projectOf(session), actorTokenId, limit }) as const));
    }
    return forgotten;
  }

  private async forgetOfProjects(changed: readonly StoredSession[]): Promise<readonly ForgottenSession[]> {
    const { bytesPerProject } = this.limits;
    for (const session of changed) {
      const projectId = projectOf(session);
      const before = this.written.get(projectId) ?? bytesPerProject;
      this.written.set(projectId, before + sessionSize(session));
    }
    const forgotten: ForgottenSession[] = [];
    for (const projectId of new Set(changed.map(projectOf))) {
      if ((this.written.get(projectId) ?? 0) < bytesPerProject * countedAfter) continue;
      this.written.set(projectId, 0);
      forgotten.push(...(await this.forgetOfProject(projectId)));
    }
    return forgotten;
  }

  private async forgetOfProject(projectId: string): Promise<readonly ForgottenSession[]> {
    const stored = await this.oldest({ projectId }).toArray();
    let excess = stored.reduce((sum, { size }) => sum + size, 0) - this.limits.bytesPerProject;
    const oldest = stored.filter(({ size }) => {
      const isTooMuch = excess > 0;
      excess -= size;
      return isTooMuch;
    });
    if (oldest.length === 0) return [];
    await this.sessions.deleteMany({ _id: { $in: oldest.map(({ _id }) => _id) } });
    return oldest.map(({ actorTokenId }) => ({ projectId, actorTokenId, limit: 'sessionBytes' }) as const);
  }

  /** Those that were written least recently first. */
  private oldest(of: { readonly actorTokenId: string } | { readonly projectId: string }) {
    const projection = { size: 1, actorTokenId: 1 };
    return this.sessions.find(of, { projection, ...readLimits() }).sort({ expires: 1 });
  }
}

/** Connects and makes the indexes; rejects with `EngineUnavailable` while the server is away. */
export const openMongoSessionStore = (
  options: MongoOptions,
  limits = defaultSessionLimits,
): Promise<SessionStore> =>
  openOnMongo(options, 'sessions', async (connection) => {
    const store = new MongoSessionStore(connection, limits);
    await store.prepare();
    return store;
  });
