import { Buffer } from 'node:buffer';
import type { Database } from 'lmdb';
import { EngineUnavailable } from '../../ports/errors.js';
import type { SessionStore, SessionWrite, StoredSession } from '../../ports/sessionStore.js';
import { once } from '../../runtime/service.js';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';

type SessionId = [actorTokenId: string, instance: string];

/** Sorts behind every text. */
const afterAll = Buffer.from([0xff]);

/** Sessions in an LMDB file. */
class EmbeddedSessionStore implements SessionStore {
  private readonly environment: DurableEnvironment;
  private readonly sessions: Database<StoredSession, SessionId>;
  private isOpen = true;

  constructor(file: string) {
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

  async write(batch: readonly SessionWrite[]): Promise<readonly boolean[]> {
    this.assertOpen();
    return this.transact(() => batch.map((write) => this.put(write)));
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
    return true;
  }

  private async remove(ids: readonly SessionId[]): Promise<void> {
    await this.transact(() => {
      for (const id of ids) void this.sessions.remove(id);
    });
  }

  private async transact<T>(work: () => T): Promise<T> {
    try {
      return await this.environment.transact(work);
    } catch (cause) {
      throw new EngineUnavailable('sessions', { cause });
    }
  }

  private assertOpen(): void {
    if (!this.isOpen) throw new EngineUnavailable('sessions');
  }
}

interface Files {
  file(name: string): string;
}

export const openEmbeddedSessionStore = async (folder: Files, now: number): Promise<SessionStore> => {
  const store = new EmbeddedSessionStore(folder.file('sessions.lmdb'));
  await store.removeExpired(now);
  return store;
};
