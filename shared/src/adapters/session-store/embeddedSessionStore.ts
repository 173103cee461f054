import { Buffer } from 'node:buffer';
import type { Database } from 'lmdb';
import { EngineUnavailable } from '../../ports/errors.js';
import type {
  ForgottenSession,
  SessionsWritten,
  SessionStore,
  SessionWrite,
  StoredSession,
} from '../../ports/sessionStore.js';
import { once } from '../../runtime/service.js';
import { defaultSessionLimits, projectOf, sessionSize, type SessionLimits } from './sessionLimits.js';
import { StoredSizes } from './storedSizes.js';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';

type SessionId = [actorTokenId: string, instance: string];

/** Sorts behind every text. */
const afterAll = Buffer.from([0xff]);

/** Sessions in an LMDB file. */
class EmbeddedSessionStore implements SessionStore {
  private readonly environment: DurableEnvironment;
  private readonly sessions: Database<StoredSession, SessionId>;
  private readonly limits: SessionLimits;
  private sizes: StoredSizes<SessionId> | undefined;
  private isOpen = true;

  constructor(file: string, limits: SessionLimits) {
    this.limits = limits;
    this.environment = openDurableEnvironment(file);
    this.sessions = this.environment.root.openDB('sessions', { encoding: 'json' });
  }

  /** Sessions that no client has resumed. */
  async removeExpired(now: number): Promise<void> {
    const expired: SessionId[] = [];
    for (const { key, value } of this.sessions.getRange()) if (value.expiresAt <= now) expired.push(key);
    if (expired.length > 0) await this.remove(expired);
  }

  async load(actorTokenId: string, instance: string): Promise<StoredSession | undefined> {
    this.assertOpen();
    return this.sessions.get([actorTokenId, instance]);
  }

  async write(batch: readonly SessionWrite[]): Promise<SessionsWritten> {
    this.assertOpen();
    return this.transact(() => {
      const written = batch.map((write) => this.put(write));
      const forgotten = batch.flatMap(({ session }, index) => (written[index] ? this.makeRoom(session) : []));
      return { written, forgotten };
    });
  }

  async forget(actorTokenId: string): Promise<void> {
    this.assertOpen();
    const end = [actorTokenId, afterAll] as unknown as SessionId;
    await this.remove([...this.sessions.getKeys({ start: [actorTokenId, ''], end })]);
  }

  readonly close = once(async () => {
    this.isOpen = false;
    await this.environment.close();
  });

  /** Within a transaction. */
  private put({ session, takesOver }: SessionWrite): boolean {
    const id: SessionId = [session.actorTokenId, session.instance];
    if (!takesOver && this.sessions.get(id)?.keeper !== session.keeper) return false;
    void this.sessions.put(id, session);
    this.counted().put(id, sizeOf(session));
    return true;
  }

  /** Within a transaction: forgets what is too much since this session was written. */
  private makeRoom(session: StoredSession): readonly ForgottenSession[] {
    const sizes = this.counted();
    const { actorTokenId } = session;
    const projectId = projectOf(session);
    const forgotten: ForgottenSession[] = [];
    while (sizes.sessionsOf(actorTokenId) > this.limits.perActor)
      forgotten.push(this.forgetOldest({ actorTokenId }, projectId, 'sessionsPerActor'));
    while (sizes.bytesOf(projectId) > this.limits.bytesPerProject)
      forgotten.push(this.forgetOldest({ projectId }, projectId, 'sessionBytes'));
    return forgotten;
  }

  private forgetOldest(
    of: { readonly actorTokenId: string } | { readonly projectId: string },
    projectId: string,
    limit: ForgottenSession['limit'],
  ): ForgottenSession {
    const oldest = this.counted().oldestOf(of) as SessionId;
    this.removeNow(oldest);
    return { projectId, actorTokenId: oldest[0], limit };
  }

  private async remove(ids: readonly SessionId[]): Promise<void> {
    await this.transact(() => {
      for (const id of ids) this.removeNow(id);
    });
  }

  private removeNow(id: SessionId): void {
    void this.sessions.remove(id);
    this.sizes?.remove(id);
  }

  /** Counted when they are first needed, and again after a transaction that failed. */
  private counted(): StoredSizes<SessionId> {
    if (this.sizes !== undefined) return this.sizes;
    const sizes = new StoredSizes<SessionId>();
    const stored = [...this.sessions.getRange()].map(({ key, value }) => ({
      key,
      writtenUntil: value.expiresAt,
      size: sizeOf(value),
    }));
    stored.sort((one, other) => one.writtenUntil - other.writtenUntil);
    for (const { key, size } of stored) sizes.put(key, size);
    return (this.sizes = sizes);
  }

  private async transact<T>(work: () => T): Promise<T> {
    try {
      return await this.environment.transact(work);
    } catch (cause) {
      this.sizes = undefined;
      throw new EngineUnavailable('sessions', { cause });
    }
  }

  private assertOpen(): void {
    if (!this.isOpen) throw new EngineUnavailable('sessions');
  }
}

const sizeOf = (session: StoredSession) => ({
  projectId: projectOf(session),
  actorTokenId: session.actorTokenId,
  size: sessionSize(session),
});

interface Files {
  file(name: string): string;
}

export const openEmbeddedSessionStore = async (
  folder: Files,
  now: number,
  limits = defaultSessionLimits,
): Promise<SessionStore> => {
  const store = new EmbeddedSessionStore(folder.file('sessions.lmdb'), limits);
  await store.removeExpired(now);
  return store;
};
