import type { JobOptions } from './jobGroups.js';
import type { FilterEntry } from '../wire/protocol/messageOptions.js';
import type { Qos } from '../wire/protocol/messageOptions.js';

export interface StoredSubscription {
  /** The address as the client wrote it. */
  readonly pattern: string;
  readonly qos: Qos;
  /** Empty for every message. */
  readonly filters: readonly FilterEntry[];
  readonly loadBalance: boolean;
  readonly loadBalanceGroup: string | null;
  /** Absent where they are not asked for. */
  readonly meta?: true;
  readonly own?: true;
  /** Absent where its group, if any, has no jobs. */
  readonly jobs?: JobOptions;
}

/** The subscriptions of a connection, for the next connection of the same client instance. */
export interface StoredSession {
  readonly actorTokenId: string;
  readonly projectId: string;
  /** Names the client instance among those of the actor; at most 100 characters. */
  readonly instance: string;
  /** The connection that keeps it. */
  readonly keeper: string;
  readonly accessScopeId: string | null;
  readonly subscriptions: readonly StoredSubscription[];
  /** Milliseconds since 1970; may be forgotten from then on. */
  readonly expiresAt: number;
}

export interface SessionWrite {
  readonly session: StoredSession;
  /** The keeper takes it over from any other. Otherwise nothing is written unless the keeper still has it. */
  readonly takesOver: boolean;
}

/** A session that made room: an actor has so many at most, and a project so many bytes. */
export interface ForgottenSession {
  readonly projectId: string;
  readonly actorTokenId: string;
  readonly limit: 'sessionsPerActor' | 'sessionBytes';
}

export interface SessionsWritten {
  /** For each write: false for a session that another keeper has, or that was forgotten. */
  readonly written: readonly boolean[];
  readonly forgotten: readonly ForgottenSession[];
}

/** Rejects with `EngineUnavailable` where the engine is out of reach. */
export interface SessionStore {
  /** The last one written. */
  load(actorTokenId: string, instance: string): Promise<StoredSession | undefined>;

  /**
   * Resolves when all of them survive the end of every process. Of a rejected batch any part may have been written. A batch holds
   * a session once. Beyond the limits of an actor or a project those of its sessions are forgotten that were written least recently; of
   * the bytes of a project a little more may be kept for a while.
   */
  write(batch: readonly SessionWrite[]): Promise<SessionsWritten>;

  /** All sessions of an actor. */
  forget(actorTokenId: string): Promise<void>;

  close(): Promise<void>;
}
