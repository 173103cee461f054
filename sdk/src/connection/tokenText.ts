import { isMap, type Fields } from '../protocol/fields.js';

/** What can be told from the text of a token, without any key. */
export type TokenFlaw = 'api_key_as_token' | 'malformed_token' | 'token_without_kid';

/** Why no server will take this token; undefined for one that a server has to judge. */
export const tokenFlaw = (token: string): TokenFlaw | undefined => {
  if (token.startsWith('ak_live_')) return 'api_key_as_token';
  if (!isJwt(token)) return undefined;
  const [header, ...rest] = token.split('.');
  const fields = read(header);
  if (rest.length !== 2 || fields === undefined) return 'malformed_token';
  return typeof fields['kid'] === 'string' ? undefined : 'token_without_kid';
};

/** Unix seconds, as far as a client token has them. */
export interface TokenTimes {
  readonly issuedAt: number | undefined;
  readonly expiresAt: number | undefined;
}

/** Nothing is verified: it is the own token, and only its renewal goes by this. */
export const tokenTimes = (token: string): TokenTimes => {
  const claims = isJwt(token) ? read(token.split('.')[1]) : undefined;
  return { issuedAt: numberOf(claims?.['iat']), expiresAt: numberOf(claims?.['exp']) };
};

/** A map in JSON begins with `{"`, which is `eyJ` as base64. */
const isJwt = (token: string): boolean => token.startsWith('eyJ');

const numberOf = (claim: unknown): number | undefined => (typeof claim === 'number' ? claim : undefined);

const read = (part = ''): Fields | undefined => {
  try {
    const value: unknown = JSON.parse(atob(part.replaceAll('-', '+').replaceAll('_', '/')));
    return isMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
};
