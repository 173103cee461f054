import { randomUUID } from 'node:crypto';
import {
  decodeProtectedHeader,
  jwtVerify,
  SignJWT,
  type JWTPayload,
  type JWTVerifyGetKey,
  type ProtectedHeaderParameters,
} from 'jose';
import type { Role } from '../domain/role.js';
import type { Clock } from '../ports/clock.js';
import { EngineUnavailable } from '../ports/errors.js';
import { limitTable } from '../wire/limits/limitTable.js';
import { keyIdOf } from './derivedKey.js';
import type { PreviousSecret, SessionSecrets } from './sessionSecrets.js';
import { createIssuerKeys } from './issuerKeys.js';
import { ownClaimNames, readGrants, type ClaimNames, type SessionGrants } from './sessionClaims.js';

/** A user session: who, for which organizations. */
export interface Session extends SessionGrants {
  readonly subject: string;
  /** `session:<subject>` for a minted session, `oidc:<issuer>|<subject>` for one of the issuer: one name of both is two principals. */
  readonly principal: string;
  /** The claim `jti`, by which one session can be revoked. Sessions of earlier versions have none, nor need those of an issuer. */
  readonly tokenId: string | undefined;
  /** The claim `iat`, in seconds since 1970. */
  readonly issuedAt: number | undefined;
  /** The claim `exp`, in seconds since 1970. */
  readonly expiresAt: number;
}

/** What a session is minted for. */
export interface NewSession {
  readonly subject: string;
  readonly organizationIds: readonly string[];
  readonly isOperator: boolean;
  /** By organization; whoever has no role in one is its admin. */
  readonly roles?: Readonly<Record<string, Role>>;
}

/** An OIDC issuer whose sessions are accepted. */
export interface OidcIssuer {
  readonly jwksUrl: string;
  readonly issuer: string;
  readonly audience: string;
  readonly claims: ClaimNames;
}

/** Its secrets sign the sessions which Roomwire mints itself. */
export interface SessionIssuer extends SessionSecrets {
  readonly oidc?: OidcIssuer;
}

export interface SessionVerifier {
  /** Undefined for anything but a valid session that has not expired. Rejects with `EngineUnavailable`. */
  verify(token: string): Promise<Session | undefined>;
}

const ownIssuer = 'roomwire';

/** Names a secret in the header of what it has signed, and says nothing of it. */
export const sessionKeyIdOf = (secret: Uint8Array): string => keyIdOf('roomwire session key', secret);

/** A session token, `lifetimeSeconds` from now. */
export const mintSessionToken = (
  secret: Uint8Array,
  { subject, organizationIds, isOperator, roles }: NewSession,
  lifetimeSeconds: number,
  clock: Clock,
): Promise<string> => {
  const issuedAt = Math.floor(clock.now() / 1000);
  return new SignJWT({ orgs: organizationIds, operator: isOperator, ...(roles && { roles }) })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: sessionKeyIdOf(secret) })
    .setIssuer(ownIssuer)
    .setSubject(subject)
    .setJti(randomUUID())
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(secret);
};

export const createSessionVerifier = (issuer: SessionIssuer, clock: Clock): SessionVerifier => {
  const minted = mintedSessions(issuer, clock);
  const issued = issuer.oidc && issuedSessions(issuer.oidc, clock);
  return {
    async verify(token) {
      try {
        const header = decodeProtectedHeader(token);
        if (!isSessionType(header.typ)) return undefined;
        // The algorithm family decides which key may answer: a public key never serves as a shared secret.
        return await (issued === undefined || header.alg === 'HS256' ? minted : issued)(token, header);
      } catch (error) {
        if (error instanceof EngineUnavailable) throw error;
        return undefined;
      }
    },
  };
};

type Verify = (token: string, header: ProtectedHeaderParameters) => Promise<Session | undefined>;

const requiredClaims = ['sub', 'exp'];

const mintedSessions = ({ secret, previousSecrets = [] }: SessionIssuer, clock: Clock): Verify => {
  const secrets: readonly PreviousSecret[] = [{ secret }, ...previousSecrets];
  const byKeyId = new Map(secrets.toReversed().map((each) => [sessionKeyIdOf(each.secret), each]));

  return async (token, { kid }) => {
    const now = clock.now();
    // Sessions of earlier versions do not name their secret.
    const named = kid === undefined ? secrets : [byKeyId.get(kid)];
    for (const each of named) {
      if (each === undefined || (each.until ?? Number.POSITIVE_INFINITY) <= now) continue;
      const payload = await verified(token, () => each.secret, {
        ...{ requiredClaims, currentDate: new Date(now), algorithms: ['HS256'], issuer: ownIssuer },
      }).catch(() => undefined);
      if (payload !== undefined) return sessionOf(payload, 'session:', ownClaimNames);
    }
    return undefined;
  };
};

const issuedSessions = ({ jwksUrl, issuer, audience, claims }: OidcIssuer, clock: Clock): Verify => {
  const keys = createIssuerKeys(jwksUrl, clock);
  const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

  return async (token) => {
    const now = clock.now();
    const currentDate = new Date(now);
    const payload = await verified(token, keys, {
      ...{ requiredClaims, currentDate, algorithms, issuer, audience },
    });
    const lifetimeMs = Number(payload.exp) * 1_000 - now;
    // A session of the issuer cannot be ended there, so that it must end by itself soon.
    if (lifetimeMs > limitTable.issuedSessionMs.value) return undefined;
    // A security event, such as a logout token, names a user and is no session of them.
    if (Object.hasOwn(payload, 'events')) return undefined;
    return sessionOf(payload, `oidc:${issuer}|`, claims);
  };
};

const verified = async (
  token: string,
  key: JWTVerifyGetKey,
  options: Parameters<typeof jwtVerify>[2],
): Promise<JWTPayload> => (await jwtVerify(token, key, options)).payload;

/**
 * The types of tokens that open sessions: JWTs that say nothing more, and access tokens (RFC 9068). Others that an issuer
 * signs with the same keys, such as logout tokens or proofs of possession, name their own (RFC 8725).
 */
const sessionTypes: ReadonlySet<string> = new Set(['jwt', 'at+jwt']);

const isSessionType = (typ: unknown): boolean =>
  typ === undefined ||
  (typeof typ === 'string' && sessionTypes.has(typ.toLowerCase().replace(/^application\//, '')));

const sessionOf = (payload: JWTPayload, prefix: string, names: ClaimNames): Session | undefined => {
  const { sub: subject, jti, iat, exp } = payload;
  // Only its being there has been checked: it is the name by which events and limits know the session.
  if (typeof subject !== 'string' || subject === '') return undefined;
  const grants = readGrants(payload, names);
  return (
    grants && {
      subject,
      principal: `${prefix}${subject}`,
      ...grants,
      tokenId: typeof jti === 'string' ? jti : undefined,
      issuedAt: typeof iat === 'number' ? iat : undefined,
      expiresAt: Number(exp),
    }
  );
};
