import type { HappenedEvent } from './eventEnvelope.js';
import type { Role } from './role.js';
import { revokedFor, type RevocableSession, type SessionRevocation } from './sessionRevocation.js';

/** Credentials with which the console works for a session, for a while. They are signed, and kept nowhere. */
export interface ConsoleAccess {
  readonly consoleAccessId: string;
  readonly organizationId: string;
  readonly projectId: string;
  /** Whose rooms are observed; null for those outside of every scope. */
  readonly accessScopeId: string | null;
  /** Of the session, from which the permissions of its API key follow. */
  readonly role: Role;
  readonly expiresAt: string;
}

export interface ConsoleAccessEvent {
  readonly type: 'ConsoleAccessGiven';
  readonly data: ConsoleAccess;
}

export const consoleAccessStream = (consoleAccessId: string): string => `consoleAccess-${consoleAccessId}`;

export const evolveConsoleAccess = (
  _access: ConsoleAccess | undefined,
  event: HappenedEvent<ConsoleAccessEvent>,
): ConsoleAccess => event.data;

/** The session that credentials of the console stand for, and with which they end. */
export interface ConsoleSession extends Omit<RevocableSession, 'organizationIds'> {
  /** In which they are good. */
  readonly organizationId: string;
}

export const revocableConsoleSession = (session: ConsoleSession): RevocableSession => ({
  ...session,
  organizationIds: [session.organizationId],
});

/** `found` are revocations of the keys of the session. */
export const isConsoleSessionRevoked = (
  session: ConsoleSession,
  found: readonly SessionRevocation[],
): boolean => revokedFor(revocableConsoleSession(session), found) === 'all';
