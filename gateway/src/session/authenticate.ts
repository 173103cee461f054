import type { AuthError } from '@roomwire/shared/contracts/protocol/authErrors';
import type { AuthFrame } from '@roomwire/shared/contracts/protocol/clientFrames';
import { negotiatedVersion } from '@roomwire/shared/contracts/protocol/versions';
import { matchesSecret, parseToken } from '@roomwire/shared/credentials/secretToken';
import type { GatewayCore } from '../core.js';
import type { Identity } from './identity.js';
import { expiryOf, standingOf, type GoodStanding } from './standing.js';

export interface Admission {
  readonly identity: Identity;
  readonly expiresAt: number;
}

/** [WS-AUTH-4] The client learns that it was refused, and never why: every bad credential looks the same. */
export const authenticate = async (core: GatewayCore, frame: AuthFrame): Promise<Admission | AuthError> => {
  try {
    const standing = await standingOfToken(core, frame.token ?? '');
    if (standing === undefined) return 'access_denied';
    return core.bus.reachable ? admission(standing, frame) : 'broker_unavailable';
  } catch (error) {
    core.logger.warn('The read models failed during an auth', { error });
    return 'connection_failed';
  }
};

const standingOfToken = async (
  { views, clock }: GatewayCore,
  token: string,
): Promise<GoodStanding | undefined> => {
  const parsed = parseToken(token, 'at_live');
  if (parsed === undefined) return undefined;
  const [actor] = await views.find('actors', { filter: { keyId: parsed.keyId }, limit: 1 });
  if (!matchesSecret(parsed.secret, actor?.secretHash)) return undefined;
  const standing = await standingOf(views, clock, actor);
  return typeof standing === 'string' ? undefined : standing;
};

const admission = ({ actor, organizationId }: GoodStanding, frame: AuthFrame): Admission => ({
  expiresAt: expiryOf(actor),
  identity: {
    actorTokenId: actor.actorTokenId,
    projectId: actor.projectId,
    organizationId,
    actorType: actor.actorType,
    scope: null,
    version: negotiatedVersion(frame.protocolVersion),
  },
});
