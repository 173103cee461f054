import type { AuthError } from '@roomwire/shared/wire/protocol/authErrors';
import type { AuthFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import { negotiatedVersion } from '@roomwire/shared/wire/protocol/versions';
import type { GatewayCore } from '../core.js';
import { checkCredential, type Credentials } from '../access/credentials.js';
import type { Identity } from './identity.js';

export interface Admission {
  readonly identity: Identity;
  readonly credentials: Credentials;
}

/** [WS-AUTH-8] A good credential is of no use while no message can go anywhere. */
export const authenticate = async (core: GatewayCore, frame: AuthFrame): Promise<Admission | AuthError> => {
  const credentials = await checkCredential(core, frame.token ?? '');
  if (typeof credentials === 'string') return credentials;
  if (!core.bus.reachable) return 'broker_unavailable';
  return { identity: identityOf(credentials, frame), credentials };
};

const identityOf = (
  { actor, organizationId, accessScope }: Credentials,
  { protocolVersion }: AuthFrame,
): Identity => ({
  actorTokenId: actor.actorTokenId,
  projectId: actor.projectId,
  organizationId,
  actorType: actor.actorType,
  scope: accessScope?.slug ?? null,
  accessScope,
  version: negotiatedVersion(protocolVersion),
});
