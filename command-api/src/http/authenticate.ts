import type { FailedAuthentications } from '@roomwire/shared/credentials/failedAuthentications';
import type { RefusalLasts, RefusedCredentials } from '@roomwire/shared/credentials/refusedCredentials';
import { matchesSecret, parseToken } from '@roomwire/shared/credentials/secretToken';
import type { Session, SessionVerifier } from '@roomwire/shared/credentials/sessionToken';
import type { ApiKey } from '@roomwire/shared/domain/apiKey';
import { revocationKeys, revokedFor } from '@roomwire/shared/domain/sessionRevocation';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { Viewed } from '@roomwire/shared/wire/views/views';
import { within } from '@roomwire/shared/runtime/networks';
import type { LastUses } from '@roomwire/shared/runtime/lastUses';
import { applicationError, frameworkError, type ErrorAnswer } from './errors.js';
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
  readonly views: ViewReader;
  readonly sessions: SessionVerifier;
  readonly clock: Clock;
  readonly lastUses: Pick<LastUses, 'used'>;
  readonly refused: RefusedCredentials<true>;
  readonly failures: Pick<FailedAuthentications, 'failed'>;
}

export const createAuthenticator = (deps: AuthenticatorDeps): Authenticator => ({
  async project(authorization, at, address) {
    const unauthorized = (message: string): ErrorAnswer => applicationError(401, message, at);
    if (authorization === undefined) throw unauthorized(credentialMessages.missing);
    const credential = bearer(authorization);
    if (credential !== undefined && looksLikeJwt(credential))
      throw unauthorized(credentialMessages.wrongKind);
    const key = await unlessRefused(deps, credential, address, findApiKey);
    if (key === undefined) throw unauthorized(credentialMessages.badApiKey);
    if (key.allowedAddresses !== null && !within(key.allowedAddresses)(address))
      throw frameworkError(403, credentialMessages.addressNotAllowed);
    deps.lastUses.used(key.apiKeyId);
    if (key.projectId === null) throw frameworkError(403, credentialMessages.notProjectScoped);
    return {
      organizationId: key.organizationId,
      projectId: key.projectId,
      principal: `apiKey:${key.keyId}`,
      permissions: key.permissions,
    };
  },

  async session(authorization, at, address) {
    const unauthorized = (message: string): ErrorAnswer => applicationError(401, message, at);
    if (authorization === undefined) throw unauthorized(credentialMessages.missing);
    const credential = bearer(authorization);
    if (credential !== undefined && looksLikeApiKey(credential))
      throw unauthorized(credentialMessages.wrongKind);
    const found = await unlessRefused(deps, credential, address, findSession);
    if (found === undefined) throw unauthorized(credentialMessages.badSession);
    const { session, lost } = found;
    return {
      principal: session.principal,
      organizationIds: session.organizationIds.filter((id) => !lost.has(id)),
      revokedIn: lost,
      roles: session.roles,
      isOperator: session.isOperator,
    };
  },
});

const bearer = (authorization: string): string | undefined => /^Bearer +(\S+)$/i.exec(authorization)?.[1];

const revocationsOf = async (views: ViewReader, session: Session) =>
  (
    await Promise.all(
      revocationKeys(session).map((revokes) => views.find('sessionRevocations', { filter: { revokes } })),
    )
  ).flat();

/** Finds what a credential stands for, or for how long it is bad; undefined where to find that out costs nothing. */
type Find<T> = (deps: AuthenticatorDeps, credential: string) => Promise<T | RefusalLasts | undefined>;

/** Undefined for a bad credential, after its failure has been counted. */
const unlessRefused = async <T extends object>(
  deps: AuthenticatorDeps,
  credential: string | undefined,
  address: string,
  find: Find<T>,
): Promise<T | undefined> => {
  const found = await unlessRemembered(deps, credential ?? '', find);
  if (found !== undefined) return found;
  await deps.failures.failed({ address, keyId: parseToken(credential ?? '', 'ak_live')?.keyId });
  return undefined;
};

const unlessRemembered = async <T extends object>(
  deps: AuthenticatorDeps,
  credential: string,
  find: Find<T>,
): Promise<T | undefined> => {
  const { refused } = deps;
  if (refused.find(credential) === true) return undefined;
  const { changes } = refused;
  const found = await find(deps, credential);
  if (typeof found !== 'string') return found;
  refused.add(credential, true, found, changes);
  return undefined;
};

const findApiKey: Find<Viewed<ApiKey>> = async ({ views, clock }, credential) => {
  const token = parseToken(credential, 'ak_live');
  if (token === undefined) return undefined;
  const [key] = await views.find('apiKeys', { filter: { keyId: token.keyId }, limit: 1 });
  if (!matchesSecret(token.secret, key?.secretHash)) return key === undefined ? 'briefly' : 'always';
  const isExpired = key?.expiresAt != null && Date.parse(key.expiresAt) <= clock.now();
  return isExpired ? 'briefly' : key;
};

const findSession: Find<FoundSession> = async ({ views, sessions }, credential) => {
  const session = await sessions.verify(credential);
  if (session === undefined) return 'briefly';
  const lost = revokedFor(session, await revocationsOf(views, session));
  return lost === 'all' ? 'briefly' : { session, lost };
};

interface FoundSession {
  readonly session: Session;
  /** Organizations for which it is revoked. */
  readonly lost: ReadonlySet<string>;
}
