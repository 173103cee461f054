import { matchesSecret, parseToken } from '@roomwire/shared/credentials/secretToken';
import type { Session, SessionVerifier } from '@roomwire/shared/credentials/sessionToken';
import { revocationKeys, revokedFor } from '@roomwire/shared/domain/sessionRevocation';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { within } from '@roomwire/shared/runtime/networks';
import type { LastUses } from '@roomwire/shared/runtime/lastUses';
import { applicationError, frameworkError, type ErrorAnswer } from './errors.js';
import type { ProjectCaller, SessionCaller } from './route.js';

export interface Authenticator {
  /** The caller behind a project-scoped API key. Throws an `ErrorAnswer`. */
  project(
    authorization: string | undefined,
    at: { id: string; now: string },
    address: string,
  ): Promise<ProjectCaller>;
  /** The caller behind a user session token. Throws an `ErrorAnswer`. */
  session(authorization: string | undefined, at: { id: string; now: string }): Promise<SessionCaller>;
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

export const createAuthenticator = (deps: {
  readonly views: ViewReader;
  readonly sessions: SessionVerifier;
  readonly clock: Clock;
  readonly lastUses: Pick<LastUses, 'used'>;
}): Authenticator => ({
  async project(authorization, at, address) {
    const unauthorized = (message: string): ErrorAnswer => applicationError(401, message, at);
    if (authorization === undefined) throw unauthorized(credentialMessages.missing);
    const credential = bearer(authorization);
    if (credential !== undefined && looksLikeJwt(credential))
      throw unauthorized(credentialMessages.wrongKind);
    const key = await findApiKey(deps, credential ?? '');
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

  async session(authorization, at) {
    const unauthorized = (message: string): ErrorAnswer => applicationError(401, message, at);
    if (authorization === undefined) throw unauthorized(credentialMessages.missing);
    const credential = bearer(authorization);
    if (credential !== undefined && looksLikeApiKey(credential))
      throw unauthorized(credentialMessages.wrongKind);
    const session = await deps.sessions.verify(credential ?? '');
    if (session === undefined) throw unauthorized(credentialMessages.badSession);
    const lost = revokedFor(session, await revocationsOf(deps.views, session));
    if (lost === 'all') throw unauthorized(credentialMessages.badSession);
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

const findApiKey = async ({ views, clock }: { views: ViewReader; clock: Clock }, credential: string) => {
  const token = parseToken(credential, 'ak_live');
  const [key] =
    token === undefined ? [] : await views.find('apiKeys', { filter: { keyId: token.keyId }, limit: 1 });
  const matches = matchesSecret(token?.secret ?? '', key?.secretHash);
  const expired = key?.expiresAt != null && Date.parse(key.expiresAt) <= clock.now();
  return matches && !expired ? key : undefined;
};
