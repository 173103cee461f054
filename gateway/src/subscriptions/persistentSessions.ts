import { createHash } from 'node:crypto';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import type { AuthFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import type { Clock } from '@roomwire/shared/ports/clock';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { LimitReports } from '@roomwire/shared/runtime/limitReports';
import type { Random } from '@roomwire/shared/ports/random';
import type { SessionStore, StoredSession, StoredSubscription } from '@roomwire/shared/ports/sessionStore';
import type { Identity } from '../access/client.js';
import type { Subscription } from './subscription.js';
import { asked, isResumable } from './subscriptionOptions.js';

/** The live subscriptions of a session. */
export interface SessionSubscriptions {
  readonly identity: Identity;
  /** By the address as the client writes it. */
  readonly entries: Iterable<readonly [address: string, subscription: Subscription]>;
}

interface PersistentSessionsDeps {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly limits: Pick<LimitReports, 'reached'>;
}

/** [WS-RESUME-4] After the last write. */
const keptMs = 7 * 24 * 3_600_000;
/** Live sessions are stored this often, changed or not, so that they do not expire. */
const refreshMs = 24 * 3_600_000;
const writeAfterMs = 100;
const retryAfterMs = 1_000;

/**
 * [WS-RESUME-1] Stores the persistent sessions of agents and orchestrators. Writes in batches shortly after a
 * change, so that no frame waits for it.
 */
export class PersistentSessions {
  private readonly deps: PersistentSessionsDeps;
  private readonly live = new Map<SessionSubscriptions, PersistentSession>();
  private changedSessions = new Set<PersistentSession>();
  private kept = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly refresh: NodeJS.Timeout;
  private writing: Promise<void> = Promise.resolve();

  constructor(deps: PersistentSessionsDeps) {
    this.deps = deps;
    this.refresh = setInterval(() => this.allChanged(), refreshMs).unref();
  }

  /** The subscriptions to restore. Rejects where the engine is unavailable. */
  async load(identity: Identity, frame: AuthFrame): Promise<readonly StoredSubscription[]> {
    const { actorTokenId, actorType, accessScope } = identity;
    if (!frame.reconnect || !isResumable(actorType)) return [];
    // The previous connection may have ended a moment ago on this gateway.
    await this.flush();
    const stored = await this.deps.store.load(actorTokenId, instanceOf(frame));
    if (stored === undefined || stored.expiresAt <= this.deps.clock.now()) return [];
    return stored.accessScopeId === (accessScope?.accessScopeId ?? null) ? stored.subscriptions : [];
  }

  /** [WS-RESUME-3] From now on this connection keeps the persistent session. */
  keep(subscriptions: SessionSubscriptions, frame: AuthFrame): void {
    if (!isResumable(subscriptions.identity.actorType)) return;
    const keeper = this.deps.random.uuid();
    const { projectId, actorTokenId } = subscriptions.identity;
    const onCut = (): void => this.deps.limits.reached('sessionCharacters', { projectId, actorTokenId });
    const fields = { instance: instanceOf(frame), keeper, number: ++this.kept, onCut };
    this.live.set(subscriptions, new PersistentSession(subscriptions, fields));
    this.changed(subscriptions);
  }

  /** Costs a look-up. */
  changed(subscriptions: SessionSubscriptions): void {
    const session = this.live.get(subscriptions);
    if (session === undefined || session.isLost) return;
    this.changedSessions.add(session);
    this.schedule(writeAfterMs);
  }

  /** The session has ended. Must be called before its subscriptions end. */
  ended(subscriptions: SessionSubscriptions): void {
    this.live.get(subscriptions)?.ends();
    this.changed(subscriptions);
    this.live.delete(subscriptions);
  }

  /** Deletes the sessions of an actor, after the last writes of its connections. */
  forgetActor(actorTokenId: string): void {
    const forgotten = this.flush().then(() => this.deps.store.forget(actorTokenId));
    this.writing = forgotten.catch((error: unknown) => {
      this.deps.logger.warn('The sessions of a deleted actor could not be deleted; they expire', { error });
    });
  }

  /** Resolves when all changes have been stored or have failed. */
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
    for (const subscriptions of this.live.keys()) this.changed(subscriptions);
  }

  private schedule(afterMs: number): void {
    this.timer ??= setTimeout(() => void this.flush(), afterMs).unref();
  }

  private async write(): Promise<void> {
    if (this.changedSessions.size === 0) return;
    const sessions = latest(this.changedSessions);
    this.changedSessions = new Set();
    const expiresAt = this.deps.clock.now() + keptMs;
    try {
      const { written, forgotten } = await this.deps.store.write(
        sessions.map((session) => ({ session: session.state(expiresAt), takesOver: !session.isTaken })),
      );
      for (const [index, session] of sessions.entries()) {
        session.isTaken = true;
        session.isLost ||= !written[index];
      }
      for (const { limit, ...whose } of forgotten) this.deps.limits.reached(limit, whose);
    } catch (error) {
      this.failed(sessions, error);
    }
  }

  private failed(sessions: readonly PersistentSession[], error: unknown): void {
    this.deps.logger.warn('Sessions could not be written', { sessions: sessions.length, error });
    // An error in the sessions themselves would recur.
    if (!(error instanceof EngineUnavailable)) return;
    this.changedSessions = new Set([...sessions, ...this.changedSessions]);
    this.schedule(retryAfterMs);
  }
}

/** One entry per session in a batch: of two connections that kept it since the last batch, the later one owns it. */
const latest = (sessions: ReadonlySet<PersistentSession>): readonly PersistentSession[] => {
  const keeping = new Map<string, PersistentSession>();
  for (const session of [...sessions].sort((one, other) => one.number - other.number)) {
    const id = JSON.stringify([session.actorTokenId, session.instance]);
    const former = keeping.get(id);
    if (former !== undefined) former.isLost = true;
    keeping.set(id, session);
  }
  return [...keeping.values()];
};

/** Limit of stored patterns and filters, because documents are limited in size. */
const maxCharacters = limitTable.sessionCharacters.value;

/** Connections without a client id share the empty name, which no client id maps to. */
export const instanceOf = ({ clientId }: Pick<AuthFrame, 'clientId'>): string =>
  clientId === undefined || clientId === '' ? '' : createHash('sha256').update(clientId).digest('base64url');

interface PersistentSessionFields extends Pick<PersistentSession, 'instance' | 'keeper' | 'number'> {
  /** There are more subscriptions than can be recorded. */
  readonly onCut: () => void;
}

/** The stored form of a live session, by the connection that keeps it. */
export class PersistentSession {
  readonly actorTokenId: string;
  readonly instance: string;
  readonly keeper: string;
  /** Increases with each session that this gateway keeps. */
  readonly number: number;
  /** Whether the store knows this keeper. */
  isTaken = false;
  /** Another connection keeps it now, or it was deleted. */
  isLost = false;
  private readonly subscriptions: SessionSubscriptions;
  private readonly onCut: () => void;
  private last: Omit<StoredSession, 'expiresAt'> | undefined;

  constructor(
    subscriptions: SessionSubscriptions,
    { instance, keeper, number, onCut }: PersistentSessionFields,
  ) {
    this.subscriptions = subscriptions;
    this.onCut = onCut;
    this.actorTokenId = subscriptions.identity.actorTokenId;
    this.instance = instance;
    this.keeper = keeper;
    this.number = number;
  }

  /** The subscriptions are about to end. */
  ends(): void {
    this.last = this.current();
  }

  state(expiresAt: number): StoredSession {
    return { ...(this.last ?? this.current()), expiresAt };
  }

  private current(): Omit<StoredSession, 'expiresAt'> {
    const { identity, entries } = this.subscriptions;
    const { actorTokenId, instance, keeper } = this;
    return {
      ...{ actorTokenId, projectId: identity.projectId, instance, keeper },
      accessScopeId: identity.accessScope?.accessScopeId ?? null,
      subscriptions: storedSubscriptions(entries, this.onCut),
    };
  }
}

const storedSubscriptions = (
  subscriptions: SessionSubscriptions['entries'],
  onCut: () => void,
): readonly StoredSubscription[] => {
  const stored: StoredSubscription[] = [];
  let left = maxCharacters;
  for (const [pattern, subscription] of subscriptions) {
    const { qos, filters = [], group, jobs } = subscription;
    left -=
      pattern.length + (group ?? '').length + filters.flat().reduce((sum, value) => sum + value.length, 0);
    if (left < 0) {
      onCut();
      break;
    }
    const loadBalance = group !== undefined;
    stored.push({
      ...{ pattern, qos, filters, loadBalance, loadBalanceGroup: group ?? null },
      ...asked(subscription),
      ...(jobs && { jobs }),
    });
  }
  return stored;
};
