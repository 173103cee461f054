import type { HappenedEvent } from './eventEnvelope.js';

/** From when on the client tokens of an actor count: those that were issued before are refused. */
export interface TokenRevocationFields {
  readonly revocationId: string;
  readonly projectId: string;
  /** The `actorTokenId` of an actor on record, or the `ext:…` of an external one. */
  readonly subject: string;
  /** Of either. */
  readonly actorTokenId: string;
  /** ISO 8601. */
  readonly before: string;
}

export interface TokenRevocation extends TokenRevocationFields {
  readonly createdAt: string;
  /** When nothing is left to refuse; null for that of an actor on record, which lives as long as the actor. */
  readonly keptUntil: string | null;
}

/** On the stream of an actor, or that of the revocation, where there is no actor on record. */
export interface TokensRevokedEvent {
  readonly type: 'TokensRevoked';
  readonly data: TokenRevocationFields;
}

export type TokenRevocationEvent =
  | TokensRevokedEvent
  | { readonly type: 'TokenRevocationExpired'; readonly data: { readonly revocationId: string } };

export const tokenRevocationStream = (revocationId: string): string => `tokenRevocation-${revocationId}`;

/** The longest life of a token of an external actor, and how long its revocation is kept. */
export const externalTokenLifeMs = 24 * 3_600_000;

const prefix = 'ext:';
const maxNameLength = 200;

/** Whether a subject is meant to be that of an external actor. */
export const namesExternalActor = (subject: string): boolean => subject.startsWith(prefix);

/** Whether it is one. Half of a surrogate pair has no UTF-8, so that two names would have one id. */
export const isExternalSubject = (subject: string): boolean => {
  if (!namesExternalActor(subject) || subject.length > prefix.length + 2 * maxNameLength) return false;
  const characters = [...subject.slice(prefix.length)];
  return characters.length >= 1 && characters.length <= maxNameLength && !characters.some(isHalf);
};

const isHalf = (character: string): boolean => /^[\ud800-\udfff]$/.test(character);

export const createdTokenRevocation = (fields: TokenRevocationFields, at: string): TokenRevocation => ({
  ...fields,
  createdAt: at,
  keptUntil: namesExternalActor(fields.subject) ? endOf(fields.before, at) : null,
});

const endOf = (before: string, madeAt: string): string =>
  new Date(Math.max(Date.parse(before), Date.parse(madeAt)) + externalTokenLifeMs).toISOString();

export const evolveTokenRevocation = (
  _revocation: TokenRevocation | undefined,
  event: HappenedEvent<TokenRevocationEvent>,
): TokenRevocation | undefined =>
  event.type === 'TokensRevoked' ? createdTokenRevocation(event.data, event.occurredAt) : undefined;

/** Whether it is about a token. `issuedAt`: seconds since 1970; undefined for one that does not say, which is refused too. */
export const isRevokedBy = (
  { before }: Pick<TokenRevocationFields, 'before'>,
  issuedAt: number | undefined,
): boolean => issuedAt === undefined || issuedAt < Math.floor(Date.parse(before) / 1_000);
