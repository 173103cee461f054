import type { HappenedEvent } from './eventEnvelope.js';

/** Which sessions of an organization have ended: one by its `jti`, or those that a subject had until then. */
export interface SessionRevocationFields {
  readonly revocationId: string;
  readonly organizationId: string;
  /** Null for that of a subject. */
  readonly jti: string | null;
  /** A subject, minted or of an issuer, or a principal, which is one of them; null for that of one session. */
  readonly subject: string | null;
  /** Whether an operator made it: then it holds for sessions of operators too. */
  readonly byOperator: boolean;
}

export interface SessionRevocation extends SessionRevocationFields {
  readonly createdAt: string;
  /** What is looked up for a session; see `revocationKeys`. */
  readonly revokes: string;
}

export interface SessionRevocationEvent {
  readonly type: 'SessionRevoked';
  readonly data: SessionRevocationFields;
}

export const sessionRevocationStream = (revocationId: string): string => `sessionRevocation-${revocationId}`;

const keyOfId = (jti: string): string => `jti:${jti}`;
const keyOfSubject = (subject: string): string => `subject:${subject}`;

export const revocationKeyOf = ({ jti, subject }: SessionRevocationFields): string =>
  jti === null ? keyOfSubject(subject ?? '') : keyOfId(jti);

export const createdSessionRevocation = (fields: SessionRevocationFields, at: string): SessionRevocation => ({
  ...fields,
  createdAt: at,
  revokes: revocationKeyOf(fields),
});

export const evolveSessionRevocation = (
  _revocation: SessionRevocation | undefined,
  event: HappenedEvent<SessionRevocationEvent>,
): SessionRevocation => createdSessionRevocation(event.data, event.occurredAt);

/** What revocations look at of a session. */
export interface RevocableSession {
  readonly subject: string;
  readonly principal: string;
  readonly organizationIds: readonly string[];
  readonly isOperator: boolean;
  readonly tokenId: string | undefined;
  /** Seconds since 1970. */
  readonly issuedAt: number | undefined;
}

/** The keys of the revocations that may concern a session. */
export const revocationKeys = ({ subject, principal, tokenId }: RevocableSession): readonly string[] => [
  ...(tokenId === undefined ? [] : [keyOfId(tokenId)]),
  ...[subject, principal].map(keyOfSubject),
];

/**
 * The organizations that a session has lost; `all` where it opens nothing any more. `found` are revocations of its keys.
 * An organization takes away itself and nothing else, whatever the names in its revocations: the sessions of others and
 * those of operators are not its own. Only operators end those of operators, and then altogether.
 */
export const revokedFor = (
  session: RevocableSession,
  found: readonly SessionRevocation[],
): ReadonlySet<string> | 'all' => {
  const holding = found.filter((revocation) => holds(revocation, session));
  if (session.isOperator) return holding.some(({ byOperator }) => byOperator) ? 'all' : new Set();
  const lost = new Set(holding.map(({ organizationId }) => organizationId));
  const { organizationIds } = session;
  const opened = organizationIds.filter((id) => lost.has(id));
  return opened.length > 0 && opened.length === organizationIds.length ? 'all' : new Set(opened);
};

/** A revocation of a subject ends its earlier sessions: `iat` is in seconds, so the time is rounded down to seconds. */
const holds = ({ jti, createdAt }: SessionRevocation, { issuedAt }: RevocableSession): boolean =>
  jti !== null || issuedAt === undefined || issuedAt < Math.floor(Date.parse(createdAt) / 1_000);
