import type { AuthError } from '@roomwire/shared/wire/protocol/authErrors';
import {
  parseClientToken,
  verifyClientToken,
  type ClientToken,
} from '@roomwire/shared/credentials/clientToken';
import { matchesSecret, parseToken, type ParsedToken } from '@roomwire/shared/credentials/secretToken';
import type { Actor } from '@roomwire/shared/domain/actors/actor';
import type { GatewayCore } from '../core.js';
import { UnopenableKey } from '../access/signingKeys.js';
import { standingOf, type GoodStanding } from './standing.js';

/** What of a client token a connection hangs on. */
export interface LiveClientToken {
  readonly signingKeyId: string;
  /** `exp`, Unix seconds; undefined for a token that does not expire. */
  readonly expiresAt: number | undefined;
}

/** What a good credential gives. */
export interface Credentials extends GoodStanding {
  /** Null for an access token. */
  readonly clientToken: LiveClientToken | null;
}

interface Holder {
  readonly actor: Actor | undefined;
  readonly clientToken: LiveClientToken | null;
}

type Look = Pick<GatewayCore, 'views' | 'clock' | 'logger' | 'signingKeys'>;

/** [WS-AUTH-4] Why a credential is refused is not told, but for a client token that was good and has expired. */
export const checkCredential = async (core: Look, token: string): Promise<Credentials | AuthError> => {
  try {
    const holder = await holderOf(core, token);
    if (typeof holder === 'string') return holder;
    const standing = await standingOf(core.views, core.clock, holder.actor);
    if (typeof standing === 'string') return 'access_denied';
    return { ...standing, clientToken: holder.clientToken };
  } catch (error) {
    core.logger.warn('A credential could not be checked', { error });
    return error instanceof UnopenableKey ? 'authentication_failed' : 'connection_failed';
  }
};

const holderOf = (core: Look, token: string): Promise<Holder | AuthError> => {
  const accessToken = parseToken(token, 'at_live');
  if (accessToken !== undefined) return holderOfAccessToken(core, accessToken);
  const clientToken = parseClientToken(token);
  return clientToken === undefined
    ? Promise.resolve('access_denied')
    : holderOfClientToken(core, clientToken);
};

const holderOfAccessToken = async (core: Look, token: ParsedToken): Promise<Holder | AuthError> => {
  const actor = await actorByKeyId(core, token.keyId);
  return matchesSecret(token.secret, actor?.secretHash) ? { actor, clientToken: null } : 'access_denied';
};

/** [WS-AUTH-9] */
const holderOfClientToken = async (core: Look, token: ClientToken): Promise<Holder | AuthError> => {
  const key = await core.signingKeys.find(token.kid);
  if (!key?.isActive) return 'access_denied';
  const verdict = verifyClientToken(token, key.secret, core.clock.now());
  if (verdict !== 'valid') return verdict === 'expired' ? 'token_expired' : 'access_denied';
  const actor = await actorByKeyId(core, token.subject);
  if (actor?.projectId !== key.projectId) return 'access_denied';
  return { actor, clientToken: { signingKeyId: key.signingKeyId, expiresAt: token.expiresAt } };
};

const actorByKeyId = async ({ views }: Look, keyId: string): Promise<Actor | undefined> =>
  (await views.find('actors', { filter: { keyId }, limit: 1 }))[0];
