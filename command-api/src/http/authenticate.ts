import type { ConsoleCredentials } from '@roomwire/shared/credentials/consoleCredentials';
import { looksLikeConsoleKey, type ConsoleKey } from '@roomwire/shared/credentials/consoleKey';
import type { FailedAuthentications } from '@roomwire/shared/credentials/failedAuthentications';
import type { RefusalLasts, RefusedCredentials } from '@roomwire/shared/credentials/refusedCredentials';
import { matchesSecret, parseToken } from '@roomwire/shared/credentials/secretToken';
import type { Session, SessionVerifier } from '@roomwire/shared/credentials/sessionToken';
import { isConsoleSessionRevoked, revocableConsoleSession } from '@roomwire/shared/domain/consoleAccess';
import type { ApiKey } from '@roomwire/shared/domain/apiKey';
import { revokedFor } from '@roomwire/shared/domain/sessionRevocation';
import { findRevocations } from '@roomwire/shared/runtime/sessionRevocations';
import { consolePermissions } from '../console/permissions.js';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { Viewed } from '@roomwire/shared/wire/views/views';
import { within } from '@roomwire/shared/runtime/networks';
import type { LastUses } from '@roomwire/shared/runtime/lastUses';
import {
  applicationError,
  frameworkError,
  RefusedCredential,
  type CredentialHolder,
  type ErrorAnswer,
} from './errors.js';
import type { ProjectCaller, SessionCaller } from './route.js';

export interface Authenticator {
  /** The caller behind a project-scoped API key. Throws an `ErrorAnswer`, late for a bad credential after many failures. */
  project(authorization: string | undefined, at: RequestAt, address: string): Promise<ProjectCaller>;
  /** The caller behind a user session token. Throws as `project` does. */
  session(authorization: string | undefined, at: RequestAt, address: string): Promise<SessionCaller>;
}

interface RequestAt {
  readonly id: string;
  readonly now: string;
}

export const credentialMessages = {
  missing: 'Authorization header not provided',
  wrongKind: 'Token type not allowed for this route',
  badApiKey: 'Invalid or expired API key',
  badSession: 'Invalid or expired session token',
  addressNotAllowed: 'Address not allowed for this API key',
  notProjectScoped: 'API key must be project-scoped to access this endpoint',
} as const;

const looksLikeJwt = (credential: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(credential);
const looksLikeApiKey = (credential: string): boolean => credential.startsWith('ak_');

export interface AuthenticatorDeps {
  readonly views: Pick<ViewReader, 'get' | 'find'>;
  readonly sessions: SessionVerifier;
  readonly consoleCredentials: Pick<ConsoleCredentials, 'readKey'>;
  readonly clock: Clock;
  readonly lastUses: Pick<LastUses, 'used'>;
  readonly refused: RefusedCredentials<BadCredential>;
  readonly failures: Pick<FailedAuthentications, 'failed'>;
}

export const createAuthenticator = (deps: AuthenticatorDeps): Authenticator => ({
  async project(authorization, at, address) {
    const unauthorized = (message: string): ErrorAnswer => applicationError(401, message, at);
    if (authorization === undefined) throw unauthorized(credentialMessages.missing);
    const credential = bearer(authorization);
    if (credential !== undefined && looksLikeJwt(credential))
      throw unauthorized(credentialMessages.wrongKind);
    const isBad = (): ErrorAnswer => unauthorized(credentialMessages.badApiKey);
    if (credential !== undefined && looksLikeConsoleKey(credential))
      return consoleCaller(await unlessRefused(deps, { credential, address, isBad }, findConsoleKey));
    const key = await unlessRefused(deps, { credential, address, isBad }, findApiKey);
    const holder = holderOf(key);
    const forbidden = async (message: string, reason: string): Promise<ErrorAnswer> => {
      // Not of its id: where the key was stolen, its owner is none the worse.
      await deps.failures.failed({ address, keyId: undefined });
      return new RefusedCredential(frameworkError(403, message), reason, [holder]);
    };
    if (key.allowedAddresses !== null && !within(key.allowedAddresses)(address))
      throw await forbidden(credentialMessages.addressNotAllowed, 'address_not_allowed');
    deps.lastUses.used(key.apiKeyId);
    if (key.projectId === null)
      throw await forbidden(credentialMessages.notProjectScoped, 'not_project_scoped');
    return { ...holder, projectId: key.projectId, permissions: key.permissions };
  },

  async session(authorization, at, address) {
    const unauthorized = (message: string): ErrorAnswer => applicationError(401, message, at);
    if (authorization === undefined) throw unauthorized(credentialMessages.missing);
    const credential = bearer(authorization);
    if (credential !== undefined && looksLikeApiKey(credential))
      throw unauthorized(credentialMessages.wrongKind);
    const isBad = (): ErrorAnswer => unauthorized(credentialMessages.badSession);
    const { session, lost } = await unlessRefused(deps, { credential, address, isBad }, findSession);
    return {
      principal: session.principal,
      organizationIds: session.organizationIds.filter((id) => !lost.has(id)),
      revokedIn: lost,
      roles: session.roles,
      isOperator: session.isOperator,
      session,
    };
  },
});

const bearer = (authorization: string): string | undefined => /^Bearer +(\S+)$/i.exec(authorization)?.[1];

const holderOf = ({ organizationId, projectId, keyId }: ApiKey): CredentialHolder => ({
  ...{ organizationId, projectId, principal: `apiKey:${keyId}` },
});

/** A credential that opens nothing, for how long, and whose it is where that is known. */
export class BadCredential {
  readonly lasts: RefusalLasts;
  readonly reason: string;
  readonly holders: readonly CredentialHolder[];

  constructor(lasts: RefusalLasts, reason = 'unknown', holders: readonly CredentialHolder[] = []) {
    this.lasts = lasts;
    this.reason = reason;
    this.holders = holders;
  }
}

/** Finds what a credential stands for; undefined for a bad one where to find that out costs nothing. */
type Find<T> = (deps: AuthenticatorDeps, credential: string) => Promise<T | BadCredential | undefined>;

interface Attempt {
  readonly credential: string | undefined;
  readonly address: string;
  /** The answer to a bad credential. */
  readonly isBad: () => ErrorAnswer;
}

/** Rejects for a bad credential, after its failure has been counted. */
const unlessRefused = async <T extends object>(
  deps: AuthenticatorDeps,
  { credential = '', address, isBad }: Attempt,
  find: Find<T>,
): Promise<T> => {
  const found = await unlessRemembered(deps, credential, find);
  if (found !== undefined && !(found instanceof BadCredential)) return found;
  await deps.failures.failed({ address, keyId: parseToken(credential, 'ak_live')?.keyId });
  throw found === undefined ? isBad() : new RefusedCredential(isBad(), found.reason, found.holders);
};

const unlessRemembered = async <T extends object>(
  deps: AuthenticatorDeps,
  credential: string,
  find: Find<T>,
): Promise<T | BadCredential | undefined> => {
  const { refused } = deps;
  const known = refused.find(credential);
  if (known !== undefined) return known;
  const { changes } = refused;
  const found = await find(deps, credential);
  if (found instanceof BadCredential) refused.add(credential, found, found.lasts, changes);
  return found;
};

const findApiKey: Find<Viewed<ApiKey>> = async ({ views, clock }, credential) => {
  const token = parseToken(credential, 'ak_live');
  if (token === undefined) return undefined;
  const [key] = await views.find('apiKeys', { filter: { keyId: token.keyId }, limit: 1 });
  if (key === undefined) return new BadCredential('briefly');
  const holders = [holderOf(key)];
  if (!matchesSecret(token.secret, key.secretHash))
    return new BadCredential('always', 'wrong_secret', holders);
  const isExpired = key.expiresAt != null && Date.parse(key.expiresAt) <= clock.now();
  if (isExpired) return new BadCredential('briefly', 'expired', holders);
  // The keys of a deleted project are removed a little later.
  const isOrphaned = key.projectId !== null && (await views.get('projects', key.projectId)) === undefined;
  return isOrphaned ? new BadCredential('briefly') : key;
};

const findSession: Find<FoundSession> = async ({ views, sessions }, credential) => {
  const session = await sessions.verify(credential);
  if (session === undefined) return new BadCredential('briefly');
  const revocations = await findRevocations(views, session);
  const lost = revokedFor(session, revocations);
  if (lost !== 'all') return { session, lost };
  const { principal, organizationIds, isOperator } = session;
  const revokedBy = new Set(revocations.map(({ organizationId }) => organizationId));
  const holders = [...revokedBy]
    .filter((id) => isOperator || organizationIds.includes(id))
    .map((organizationId) => ({ organizationId, projectId: null, principal }));
  return new BadCredential('briefly', 'session_revoked', holders);
};

interface FoundSession {
  readonly session: Session;
  /** Organizations for which it is revoked. */
  readonly lost: ReadonlySet<string>;
}

/** Good for as long as the session that it was made for. */
const findConsoleKey: Find<ConsoleKey> = async ({ views, consoleCredentials }, credential) => {
  const key = consoleCredentials.readKey(credential);
  if (key === undefined) return undefined;
  const { session, projectId } = key;
  const { organizationId, principal } = session;
  const [project, revocations] = await Promise.all([
    views.get('projects', projectId),
    findRevocations(views, revocableConsoleSession(session)),
  ]);
  if (isConsoleSessionRevoked(session, revocations))
    return new BadCredential('briefly', 'session_revoked', [{ organizationId, projectId, principal }]);
  return project === undefined ? new BadCredential('briefly') : key;
};

/** Whoever works at the console is known by the session, in the history as well. */
const consoleCaller = ({ projectId, role, session }: ConsoleKey): ProjectCaller => ({
  ...{ projectId, organizationId: session.organizationId, principal: session.principal },
  permissions: consolePermissions[role],
  ...(role === 'viewer' && { isViewer: true }),
  ...(session.isOperator && { isOperator: true }),
});
