const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A client token that nobody verifies. */
export const clientToken = (claims: object, header: object = { alg: 'HS256', kid: 'key_1' }): string =>
  `${part(header)}.${part(claims)}.${Buffer.from('signature').toString('base64url')}`;
