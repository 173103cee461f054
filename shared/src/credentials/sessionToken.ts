import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify, SignJWT, type JWTPayload } from 'jose';
import type { Clock } from '../ports/clock.js';

/** A user session: who, for which organizations. */
export interface Session {
  readonly subject: string;
  readonly organizationIds: readonly string[];
  readonly isOperator: boolean;
}

export interface SessionIssuer {
  /** 32 bytes that sign the sessions which Roomwire mints itself. */
  readonly secret: Uint8Array;
  /** An OIDC issuer whose sessions are accepted too. */
  readonly oidc?: { readonly jwksUrl: string; readonly issuer?: string; readonly audience?: string };
}

export interface SessionVerifier {
  /** Undefined for anything but a valid session that has not expired. */
  verify(token: string): Promise<Session | undefined>;
}

const ownIssuer = 'roomwire';

/** A session token, `lifetimeSeconds` from now. */
export const mintSessionToken = (
  secret: Uint8Array,
  session: Session,
  lifetimeSeconds: number,
  clock: Clock,
): Promise<string> => {
  const issuedAt = Math.floor(clock.now() / 1000);
  return new SignJWT({ orgs: session.organizationIds, operator: session.isOperator })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(ownIssuer)
    .setSubject(session.subject)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(secret);
};

export const createSessionVerifier = ({ secret, oidc }: SessionIssuer, clock: Clock): SessionVerifier => {
  const keySet = oidc && createRemoteJWKSet(new URL(oidc.jwksUrl));

  const payloadOf = async (token: string): Promise<JWTPayload> => {
    const options = { requiredClaims: ['sub', 'exp'], currentDate: new Date(clock.now()) };
    // The algorithm family decides which key may answer: a public key never serves as a shared secret.
    if (keySet === undefined || decodeProtectedHeader(token).alg === 'HS256')
      return (await jwtVerify(token, secret, { ...options, algorithms: ['HS256'], issuer: ownIssuer }))
        .payload;
    const { payload } = await jwtVerify(token, keySet, {
      ...options,
      algorithms: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'],
      ...(oidc?.issuer === undefined ? {} : { issuer: oidc.issuer }),
      ...(oidc?.audience === undefined ? {} : { audience: oidc.audience }),
    });
    return payload;
  };

  return {
    verify: (token) => payloadOf(token).then(sessionOf, () => undefined),
  };
};

const sessionOf = ({ sub, orgs, operator }: JWTPayload): Session | undefined =>
  // Only its being there has been checked: it is the name by which events and limits know the session.
  typeof sub !== 'string' || sub === ''
    ? undefined
    : {
        subject: sub,
        organizationIds: Array.isArray(orgs) ? orgs.filter((id) => typeof id === 'string') : [],
        isOperator: operator === true,
      };
