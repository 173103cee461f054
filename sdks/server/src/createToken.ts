import { SignJWT } from 'jose';

export const actorTypes = [
  'device',
  'user',
  'service',
  'session',
  'agent',
  'orchestrator',
  'observer',
] as const;
export type ActorType = (typeof actorTypes)[number];

export const rights = ['subscribe', 'publish', 'presence', 'history'] as const;
export type Right = (typeof rights)[number];

interface TokenOptions {
  /** As it was shown when it was made: `<keyId>.<secret>`. Without it, as where the environment lacks it, the token is refused. */
  readonly signingKey: string | undefined;
  /** In seconds from now; 3600 unless given, and at most 86,400 for an external actor. */
  readonly expiresInSeconds?: number;
  /**
   * By pattern of three segments, each literal, `*`, or a literal that ends in `*`: what of its rights the client may use.
   * All of them where it is not given; `{}` allows nothing.
   */
  readonly capabilities?: Readonly<Record<string, readonly Right[]>>;
}

/** A client token for an actor of the project. */
export interface ActorTokenOptions extends TokenOptions {
  /** The `keyId` of the actor, `at_live_…`: not its `actorTokenId`. */
  readonly actor: string | undefined;
}

/** A client token for somebody whom the project does not keep as an actor; the signing key must allow them. */
export interface ExternalTokenOptions extends TokenOptions {
  /** Your own id of them, 1 to 200 characters. */
  readonly externalId: string | undefined;
  /** `user` unless given. */
  readonly actorType?: ActorType;
  /** Binds them to an access scope. */
  readonly accessScopeId?: string;
}

/** Characters, of which each may take two places in a text; half of one is none. */
const externalName = /^\P{Cs}{1,200}$/u;
const longestExternalSeconds = 24 * 60 * 60;

/** What no server would accept. */
export class InvalidToken extends TypeError {
  override readonly name = 'InvalidToken';
}

/** Signs a client token, a JWT, without asking the service. Rejects with `InvalidToken`, which never shows the key. */
export const createToken = async (options: ActorTokenOptions | ExternalTokenOptions): Promise<string> => {
  const { expiresInSeconds = 3_600, capabilities } = options;
  const { keyId, secret } = partsOf(options.signingKey);
  if (!(expiresInSeconds > 0 && Number.isFinite(expiresInSeconds)))
    throw new InvalidToken('expiresInSeconds must be a number above 0');
  const { subject, ...claims } =
    'actor' in options ? ofActor(options) : ofExternal(options, expiresInSeconds);
  const own = { ...claims, ...(capabilities && { capabilities: checked(capabilities) }) };
  const issuedAt = Math.floor(Date.now() / 1_000);
  return new SignJWT(Object.keys(own).length === 0 ? {} : { roomwire: own })
    .setProtectedHeader({ alg: 'HS256', kid: keyId })
    .setSubject(subject)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + Math.ceil(expiresInSeconds))
    .sign(new TextEncoder().encode(secret));
};

const partsOf = (signingKey = '') => {
  const [keyId = '', secret = '', ...rest] = signingKey.split('.');
  if (!/^sk_(?:live|sandbox)_[A-Za-z0-9]+$/.test(keyId) || secret === '' || rest.length > 0)
    throw new InvalidToken('signingKey must be the whole signing key as it was shown, sk_live_<id>.<secret>');
  return { keyId, secret };
};

const ofActor = ({ actor = '' }: ActorTokenOptions) => {
  if (!/^at_live_[A-Za-z0-9]+$/.test(actor))
    throw new InvalidToken('actor must be the keyId of an actor, at_live_…, neither its id nor its token');
  return { subject: actor };
};

const ofExternal = (
  { externalId, actorType, accessScopeId }: ExternalTokenOptions,
  expiresInSeconds: number,
) => {
  if (!externalName.test(externalId ?? ''))
    throw new InvalidToken('A token needs an actor, or an externalId of 1 to 200 characters');
  if (actorType !== undefined && !actorTypes.includes(actorType))
    throw new InvalidToken(`actorType must be one of ${actorTypes.join(', ')}`);
  if (expiresInSeconds > longestExternalSeconds)
    throw new InvalidToken('The token of an external actor lives for at most 24 hours');
  return {
    subject: `ext:${externalId}`,
    ...(actorType && { actorType }),
    ...(accessScopeId && { accessScopeId }),
  };
};

const mostPatterns = 100;
const patternOfPatterns = /^(?:[^/*]+\*?|\*)(?:\/(?:[^/*]+\*?|\*)){2}$/;

const checked = (capabilities: Readonly<Record<string, readonly Right[]>>) => {
  const patterns = Object.entries(capabilities);
  if (patterns.length > mostPatterns) throw new InvalidToken(`At most ${mostPatterns} patterns are allowed`);
  for (const [pattern, allowed] of patterns) {
    if (!patternOfPatterns.test(pattern))
      throw new InvalidToken(
        `The pattern ${JSON.stringify(pattern)} is not app/room/topic, each literal, *, or ending in *`,
      );
    const strange = allowed.find((right) => !rights.includes(right));
    if (strange !== undefined)
      throw new InvalidToken(`${JSON.stringify(strange)} is not one of ${rights.join(', ')}`);
  }
  return capabilities;
};
