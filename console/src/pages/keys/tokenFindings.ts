/** What can be seen of a token in the browser, without its secret. */
export interface TokenFindings {
  readonly kind: 'access token' | 'client token' | 'other';
  readonly facts: readonly string[];
  /** Why a gateway refuses it, as far as that can be seen. */
  readonly faults: readonly string[];
  /** The public key id of its actor. */
  readonly actor?: string | undefined;
  /** The public key id of the key that has signed it. */
  readonly signingKey?: string | undefined;
}

type Claims = Readonly<Record<string, unknown>>;

const algorithms = ['HS256', 'HS384', 'HS512'];

/** Later than any time in seconds: such a number is in milliseconds. */
const latestSeconds = 100_000_000_000;

/** `now`: milliseconds since 1970. */
export const findingsOf = (token: string, now: number): TokenFindings => {
  if (token.startsWith('at_')) return ofAccessToken(token);
  if (token.split('.').length === 3) return ofJwt(token, now);
  return { kind: 'other', facts: [], faults: [faultOfOther(token)] };
};

const faultOfOther = (token: string): string => {
  if (token.startsWith('ak_'))
    return 'This is an API key. It is for the REST API, and no client connects with it.';
  if (token.startsWith('sk_'))
    return 'This is a signing key. Your backend signs tokens with it and gives it to nobody: now that it has been pasted, rotate it.';
  return 'This is neither an access token (at_live_…) nor a client token (three parts with dots between them).';
};

const ofAccessToken = (token: string): TokenFindings => {
  const [actor = '', secret] = token.split('.', 2);
  if (!secret)
    return {
      ...{ kind: 'access token', actor, facts: [] },
      faults: ['This is the public id of an actor. The secret behind the dot is missing.'],
    };
  return { kind: 'access token', actor, facts: [`An access token of the actor ${actor}`], faults: [] };
};

const ofJwt = (token: string, now: number): TokenFindings => {
  const [header, claims] = token.split('.', 2).map(jsonOf);
  if (header === undefined || claims === undefined)
    return { kind: 'client token', facts: [], faults: ['Its first two parts are not JSON in base64url.'] };
  const [actor, signingKey] = [publicId(claims['sub'], 'at_'), publicId(header['kid'], 'sk_')];
  return {
    ...{ kind: 'client token', actor, signingKey },
    facts: factsOf(header, claims),
    faults: [...faultsOfHeader(header), ...faultsOfClaims(claims, now)],
  };
};

const publicId = (value: unknown, prefix: string): string | undefined =>
  typeof value === 'string' && value.startsWith(prefix) && !value.includes('.') ? value : undefined;

const factsOf = ({ alg }: Claims, { sub, iat, nbf, exp, roomwire }: Claims): string[] => {
  const facts = [`A client token, signed with ${text(alg)}`, `sub ${text(sub)}`];
  for (const [name, time] of Object.entries({ iat, nbf, exp }))
    if (typeof time === 'number' && time <= latestSeconds)
      facts.push(`${name} ${new Date(time * 1_000).toISOString()}`);
  if (exp === undefined) facts.push('it never ends by itself');
  if (roomwire !== undefined) facts.push(`roomwire ${JSON.stringify(roomwire)}`);
  return facts;
};

const faultsOfHeader = ({ alg, kid }: Claims): string[] => {
  const faults: string[] = [];
  if (!algorithms.some((accepted) => accepted === alg))
    faults.push(`Its algorithm (alg) is ${text(alg)}; ${algorithms.join(', ')} are accepted.`);
  if (typeof kid === 'string' && kid.startsWith('sk_') && kid.includes('.'))
    faults.push(
      'Its kid is a whole signing key, which everybody can read: rotate that key. The part before the dot is meant.',
    );
  else if (publicId(kid, 'sk_') === undefined)
    faults.push(`Its kid is ${text(kid)}; the key id of the signing key is meant, sk_live_….`);
  return faults;
};

const faultsOfClaims = ({ sub, exp, nbf }: Claims, now: number): string[] => {
  const faults: string[] = [];
  const isExternal = typeof sub === 'string' && sub.startsWith('ext:');
  if (!isExternal && publicId(sub, 'at_') === undefined)
    faults.push(`Its sub is ${text(sub)}; the key id of the actor is meant, at_live_…, or ext: and a name.`);
  if (isExternal && exp === undefined) faults.push('It has no exp, which a token for an ext: name needs.');
  for (const [name, time] of Object.entries({ exp, nbf }))
    if (typeof time === 'number' && time > latestSeconds)
      faults.push(`Its ${name} is in milliseconds; seconds since 1970 are meant.`);
  if (typeof exp === 'number' && exp * 1_000 <= now) faults.push('It has expired.');
  if (typeof nbf === 'number' && nbf <= latestSeconds && nbf * 1_000 > now)
    faults.push('It is not valid yet (nbf).');
  return faults;
};

const text = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? 'missing');

const jsonOf = (part: string): Claims | undefined => {
  try {
    const bytes = Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
      letter.charCodeAt(0),
    );
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Claims)
      : undefined;
  } catch {
    return undefined;
  }
};
