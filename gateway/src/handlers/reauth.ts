import type { ReauthError } from '@roomwire/shared/wire/protocol/authErrors';
import type { GatewayCore } from '../core.js';
import { checkCredential, type Credentials } from '../access/credentials.js';
import { moveToScope } from '../session/scopeMove.js';
import type { Session } from '../session/session.js';
import type { Handler } from './handler.js';

/** [WS-REAUTH-1] Everything that an `auth` would have given; a failure changes nothing. */
export const reauth: Handler<'reauth'> = async (session, { token }, core) => {
  const { revalidator } = core;
  const changesBefore = revalidator.changes;
  const result = await credentialOf(session, token, core);
  if (session.isOver) return;
  if (typeof result === 'string') return session.link.send({ type: 'reauth', success: false, error: result });

  session.renew(result);
  moveToScope(session, result.accessScope, core);
  session.link.send({ type: 'reauth', success: true, authExpiresAt: result.clientToken?.expiresAt });
  // What changed while we were reading was judged by the old credential.
  if (revalidator.changes !== changesBefore) revalidator.recheckActor(session.identity.actorTokenId);
};

const credentialOf = async (
  { identity }: Session,
  token: string | undefined,
  core: GatewayCore,
): Promise<Credentials | ReauthError> => {
  const result = await checkCredential(core, token ?? '');
  if (typeof result === 'string') return result;
  return result.actor.actorTokenId === identity.actorTokenId ? result : 'actor_mismatch';
};
