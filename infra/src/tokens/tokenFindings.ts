import { Buffer } from 'node:buffer';
import { isUuid } from '@roomwire/command-api/http/request';
import { readCapabilities } from '@roomwire/shared/credentials/capabilityClaim';
import { hasChecksum } from '@roomwire/shared/credentials/checksum';
import { maxClientTokenLength, parseClientToken } from '@roomwire/shared/credentials/clientToken';
import { parseToken } from '@roomwire/shared/credentials/secretToken';
import { capabilityRights, maxCapabilityPatterns } from '@roomwire/shared/domain/capabilities';
import { namesExternalActor } from '@roomwire/shared/domain/tokenRevocation';
import { factsOfExternal, faultsOfExternal } from './externalFindings.js';
import { factsOfObserver, faultsOfObserver, isOfObserver } from './observerFindings.js';
import { factsOfTimes, faultsOfTimes } from './tokenTimes.js';

/** What is seen of a token without asking anybody; none of it holds anything secret. */
export interface TokenFindings {
  readonly kind: 'access token' | 'client token' | 'other';
  /** What it is and what it claims, line by line. */
  readonly facts: readonly string[];
  /** Why a gateway refuses it, as far as that can be seen. */
  readonly faults: readonly string[];
  /** Public: the `keyId` of the actor that it is for. */
  readonly actor?: string;
  /** Public: the `keyId` of the key that has signed it. */
  readonly signingKey?: string;
}

/** `now`: milliseconds since 1970. */
export const findingsOf = (token: string, now: number): TokenFindings => {
  if (token.startsWith('at_')) return ofAccessToken(token);
  if (token.split('.').length === 3) return ofJwt(token, now);
  return { kind: 'other', facts: [], faults: [faultOfOther(token)] };
};

const faultOfOther = (token: string): string => {
  if (token === '') return 'It is empty';
  if (token.startsWith('ak_'))
    return 'It is an API key: that is for the REST API. A client connects with the access token of an actor, or with a client token that your backend signs';
  if (token.startsWith('sk_'))
    return 'It is a signing key: your backend signs client tokens with it, and never gives it away';
  if (token.startsWith('whsec_')) return 'It is a webhook secret: with it your endpoint verifies calls';
  return 'It is neither an access token (at_live_…) nor a client token (a JWT: three parts with dots between them)';
};

const ofAccessToken = (token: string): TokenFindings => {
  const parsed = parseToken(token, 'at_live');
  if (parsed === undefined) {
    const fault = token.includes('.')
      ? 'It has characters that no access token has: was it copied with quotes or a space?'
      : 'It is the public id of an actor, without the secret: an access token is <id>.<secret>';
    return { kind: 'access token', facts: [], faults: [fault] };
  }
  return {
    kind: 'access token',
    facts: [
      `An access token of the actor ${parsed.keyId}; it never expires by itself`,
      // Older ones have none.
      ...(hasChecksum(token)
        ? []
        : ['it does not end with the checksum of newer tokens: is a part missing?']),
    ],
    faults: [],
    actor: parsed.keyId,
  };
};

type Claims = Readonly<Record<string, unknown>>;

const ofJwt = (token: string, now: number): TokenFindings => {
  const [header, payload] = token.split('.', 2).map(jsonOf);
  if (header === undefined || payload === undefined)
    return {
      ...{ kind: 'client token', facts: [] },
      faults: ['Its first two parts are not JSON in base64url: no JWT library has made it'],
    };
  if (payload['iss'] === 'roomwire' && 'orgs' in payload)
    return {
      ...{ kind: 'other', facts: [] },
      faults: ['It is a user session token: that is for the endpoints of organizations, not for clients'],
    };
  if (isOfObserver(header))
    return {
      kind: 'client token',
      facts: [...factsOfObserver(payload), ...factsOfTimes(payload, now)],
      faults: [...faultsOfObserver(payload), ...faultsOfTimes(payload, now)],
    };
  const faults = [
    ...faultsOfHeader(header),
    ...faultsOfClaims(payload, now),
    ...faultsOfExternal(payload, now),
  ];
  // Whatever is left that a gateway does not read.
  if (faults.length === 0 && typeof parseClientToken(token) === 'string')
    faults.push(
      token.length > maxClientTokenLength
        ? `It has more than ${maxClientTokenLength} characters`
        : 'Its parts are not base64url, or a claim has the wrong type',
    );
  const { kid } = header;
  const { sub } = payload;
  return {
    kind: 'client token',
    facts: [...factsOf(header, payload, now), ...factsOfExternal(payload)],
    faults,
    ...(isKeyId(sub, 'at') ? { actor: sub } : {}),
    ...(isKeyId(kid, 'sk') ? { signingKey: kid } : {}),
  };
};

const isKeyId = (value: unknown, prefix: 'at' | 'sk'): value is string =>
  typeof value === 'string' && new RegExp(`^${prefix}_[a-z]+_[A-Za-z0-9]{1,64}$`).test(value);

const faultsOfHeader = ({ alg, kid, crit }: Claims): string[] => {
  const faults: string[] = [];
  if (alg !== 'HS256' && alg !== 'HS384' && alg !== 'HS512')
    faults.push(`Its algorithm (alg) is ${shown(alg)}: HS256, HS384 and HS512 are accepted`);
  if (kid === undefined)
    faults.push('Its header has no kid: it names the signing key by its keyId, sk_live_… or sk_sandbox_…');
  else if (typeof kid === 'string' && kid.includes('.'))
    // Not shown: whoever has it can sign.
    faults.push(
      'Its kid is a whole signing key, with the secret, which everybody can read: delete that key; the kid is the part before the dot',
    );
  else if (typeof kid === 'string' && isUuid(kid))
    faults.push('Its kid is a signingKeyId: the keyId is meant, sk_live_… or sk_sandbox_…');
  else if (!isKeyId(kid, 'sk'))
    faults.push('Its kid is not the keyId of a signing key, sk_live_… or sk_sandbox_…');
  if (crit !== undefined) faults.push('Its header has crit: no extension is understood');
  return faults;
};

const faultsOfClaims = (payload: Claims, now: number): string[] => {
  const { sub, roomwire } = payload;
  const faults: string[] = [];
  if (readCapabilities(roomwire) === 'malformed')
    faults.push(
      `Its claim roomwire.capabilities is malformed: an object of at most ${maxCapabilityPatterns} patterns "app/room/topic", each with a list of ${capabilityRights.join(', ')}`,
    );
  if (sub === undefined) faults.push('It has no sub: the keyId of the actor, at_live_…');
  else if (typeof sub === 'string' && isUuid(sub))
    faults.push('Its sub is an actorTokenId: the keyId of the actor is meant, at_live_…');
  else if (!isKeyId(sub, 'at') && !(typeof sub === 'string' && namesExternalActor(sub)))
    faults.push('Its sub is not the keyId of an actor, at_live_…');
  return [...faults, ...faultsOfTimes(payload, now)];
};

/** Claims of these names are public anyway; others are named, and not shown. */
const known: readonly string[] = ['sub', 'iat', 'nbf', 'exp', 'roomwire'];

const factsOf = ({ alg, kid }: Claims, payload: Claims, now: number): string[] => {
  const { sub, roomwire } = payload;
  const facts = [`A client token, ${shown(alg)}`];
  if (isKeyId(kid, 'sk')) facts.push(`signed by the key ${kid} (kid), which only the service can check`);
  if (typeof sub === 'string') facts.push(`for the actor ${sub} (sub)`);
  facts.push(...factsOfTimes(payload, now));
  if (roomwire !== undefined) facts.push(`roomwire ${JSON.stringify(roomwire)}`);
  const names = Object.keys(payload).filter((name) => !known.includes(name));
  if (names.length > 0) facts.push(`other claims: ${names.join(', ')}`);
  return facts;
};

const shown = (value: unknown): string => (value === undefined ? 'missing' : JSON.stringify(value));

const jsonOf = (part: string): Claims | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Claims)
      : undefined;
  } catch {
    return undefined;
  }
};
