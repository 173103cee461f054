import type { AuthFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import type { Clock } from '@roomwire/shared/ports/clock';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { Random } from '@roomwire/shared/ports/random';
import type { SessionStore, StoredSubscription } from '@roomwire/shared/ports/sessionStore';
import type { Session } from '../session/session.js';
import { SessionRecord, instanceOf, isResumable } from './sessionRecord.js';

interface RecordsDeps {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** [WS-RESUME-4] After the last write. */
const keptMs = 7 * 24 * 3_600_000;
/** Live sessions are written this often, changed or not, so that they do not expire. */
const refreshMs = 24 * 3_600_000;
const writeAfterMs = 100;
const retryAfterMs = 1_000;

/**
 * [WS-RESUME-1] Writes down what the connections of agents and orchestrators are subscribed to: a moment after a change,
 * all that has changed together, so that no frame waits for it.
 */
export class SessionRecords {
  private readonly deps: RecordsDeps;
  private readonly live = new Map<Session, SessionRecord>();
  private changedRecords = new Set<SessionRecord>();
  private kept = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly refresh: NodeJS.Timeout;
  private writing: Promise<void> = Promise.resolve();

  constructor(deps: RecordsDeps) {
    this.deps = deps;
    this.refresh = setInterval(() => this.allChanged(), refreshMs).unref();
  }

  /** What a connection that authenticates is to be subscribed to again. Rejects where the engine is out of reach. */
  async recorded(session: Session, frame: AuthFrame): Promise<readonly StoredSubscription[]> {
    const { actorTokenId, actorType, accessScope } = session.identity;
    if (!frame.reconnect || !isResumable(actorType)) return [];
    // The connection before this one may have ended a moment ago, here.
    await this.flush();
    const stored = await this.deps.store.load(actorTokenId, instanceOf(frame));
    if (stored === undefined || stored.expiresAt <= this.deps.clock.now()) return [];
    return stored.accessScopeId === (accessScope?.accessScopeId ?? null) ? stored.subscriptions : [];
  }

  /** [WS-RESUME-3] From now on the session is this connection's, whoever kept it before. */
  keep(session: Session, frame: AuthFrame): void {
    if (!isResumable(session.identity.actorType)) return;
    const keeper = this.deps.random.uuid();
    const fields = { instance: instanceOf(frame), keeper, number: ++this.kept };
    this.live.set(session, new SessionRecord(session, fields));
    this.changed(session);
  }

  /** Costs a look-up. */
  changed(session: Session): void {
    const record = this.live.get(session);
    if (record === undefined || record.isLost) return;
    this.changedRecords.add(record);
    this.schedule(writeAfterMs);
  }

  /** Must be called before the session's subscriptions are taken from it. */
  ended(session: Session): void {
    this.live.get(session)?.ends();
    this.changed(session);
    this.live.delete(session);
  }

  /** Behind what its connections, which have just been closed, had still to write. */
  forgetActor(actorTokenId: string): void {
    const forgotten = this.flush().then(() => this.deps.store.forget(actorTokenId));
    this.writing = forgotten.catch((error: unknown) => {
      this.deps.logger.warn('The sessions of a deleted actor could not be forgotten; they expire', { error });
    });
  }

  /** Resolves when all that has changed is written, or could not be. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.write());
    return this.writing;
  }

  async close(): Promise<void> {
    clearInterval(this.refresh);
    await this.flush();
    clearTimeout(this.timer);
  }

  private allChanged(): void {
    for (const session of this.live.keys()) this.changed(session);
  }

  private schedule(afterMs: number): void {
    this.timer ??= setTimeout(() => void this.flush(), afterMs).unref();
  }

  private async write(): Promise<void> {
    if (this.changedRecords.size === 0) return;
    const records = latest(this.changedRecords);
    this.changedRecords = new Set();
    const expiresAt = this.deps.clock.now() + keptMs;
    try {
      const written = await this.deps.store.write(
        records.map((record) => ({ session: record.state(expiresAt), takesOver: !record.isTaken })),
      );
      for (const [index, record] of records.entries()) {
        record.isTaken = true;
        record.isLost ||= !written[index];
      }
    } catch (error) {
      this.failed(records, error);
    }
  }

  private failed(records: readonly SessionRecord[], error: unknown): void {
    this.deps.logger.warn('Sessions could not be written', { sessions: records.length, error });
    // What is wrong with the records themselves would be so the next time too.
    if (!(error instanceof EngineUnavailable)) return;
    this.changedRecords = new Set([...records, ...this.changedRecords]);
    this.schedule(retryAfterMs);
  }
}

/** A session stands in a batch once: of two connections that kept it since the last one, the later has taken it over. */
const latest = (records: ReadonlySet<SessionRecord>): readonly SessionRecord[] => {
  const keeping = new Map<string, SessionRecord>();
  for (const record of [...records].sort((one, other) => one.number - other.number)) {
    const id = JSON.stringify([record.actorTokenId, record.instance]);
    const former = keeping.get(id);
    if (former !== undefined) former.isLost = true;
    keeping.set(id, record);
  }
  return [...keeping.values()];
};
