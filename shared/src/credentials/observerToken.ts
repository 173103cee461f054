import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import type { ConsoleSession } from '../domain/consoleAccess.js';
import type { ClientToken } from './clientToken.js';
import { derivedKey, keyIdOf } from './derivedKey.js';
import { nameUuid } from './nameUuid.js';
import type { SealingKeys } from './secretBox.js';

/** What the token of an observer says; signed, and kept nowhere. */
export interface ObserverClaims {
  readonly projectId: string;
  readonly accessScopeId: string | null;
  readonly session: ConsoleSession;
}

const keyIdPrefix = 'console_';

/** A secret that signs tokens of observers, as text like that of a signing key, and the `kid` that names it. */
interface ObserverKey {
  readonly kid: string;
  readonly secret: string;
}

const observerKeyOf = (key: Uint8Array): ObserverKey => {
  const derived = derivedKey(key, 'roomwire console observers');
  return {
    kid: keyIdPrefix + keyIdOf('roomwire console observers', derived),
    secret: Buffer.from(derived).toString('base64url'),
  };
};

/** Of the keys that open signing keys: whoever has them could sign as any actor anyway. */
export class ObserverKeys {
  private readonly current: ObserverKey;
  private readonly secrets: ReadonlyMap<string, string>;

  constructor({ current, previous = [] }: SealingKeys) {
    this.current = observerKeyOf(current);
    const keys = [...previous.map(observerKeyOf), this.current];
    this.secrets = new Map(keys.map(({ kid, secret }) => [kid, secret]));
  }

  /** The secret of a `kid`; undefined for one that is not known. */
  secretOf(kid: string): string | undefined {
    return this.secrets.get(kid);
  }

  /** A JWT. All times in Unix seconds. */
  mint(claims: ObserverClaims, times: { readonly issuedAt: number; readonly expiresAt: number }): string {
    const { kid, secret } = this.current;
    const { issuedAt: iat, expiresAt: exp } = times;
    const sub = observerSubject(claims.session.principal);
    const payload = { sub, iat, exp, roomwire: { observer: claims } };
    const signed = `${encoded({ alg: 'HS256', typ: 'JWT', kid })}.${encoded(payload)}`;
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  }
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** No `kid` of a signing key begins so; earlier versions refuse it as malformed. */
export const isObserverKeyId = (kid: string): boolean => kid.startsWith(keyIdPrefix);

const subjectPrefix = 'console:';

/** In the place of an actor's public id. */
export const observerSubject = (principal: string): string => subjectPrefix + principal;

/** The principal of the session that an observer stands for. */
export const observedBy = (subject: string): string => subject.slice(subjectPrefix.length);

/** The `actorTokenId` of an observer, the same for all sessions of a user. */
export const observerId = (projectId: string, principal: string): string =>
  nameUuid(projectId, observerSubject(principal));

export const namesObserver = (subject: string): boolean => subject.startsWith(subjectPrefix);

/** Of a token that has been verified. */
export const observerClaimsOf = ({ roomwire }: Pick<ClientToken, 'roomwire'>): ObserverClaims =>
  (roomwire as { readonly observer: ObserverClaims }).observer;
