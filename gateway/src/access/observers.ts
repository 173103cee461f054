import type { ClientToken } from '@roomwire/shared/credentials/clientToken';
import {
  observerClaimsOf,
  observerId,
  observerSubject,
  type ObserverClaims,
} from '@roomwire/shared/credentials/observerToken';
import {
  isConsoleSessionRevoked,
  revocableConsoleSession,
  type ConsoleSession,
} from '@roomwire/shared/domain/consoleAccess';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { findRevocations } from '@roomwire/shared/runtime/sessionRevocations';
import type { ConnectedActor } from './connectedActor.js';
import type { LiveClientToken } from './liveClientToken.js';

/** [WS-OBS-1] The observer of a token that has been verified, and what its connection depends on. */
export const observerOf = (
  token: ClientToken,
): { readonly actor: ConnectedActor; readonly clientToken: LiveClientToken } => {
  const { projectId, accessScopeId, session } = observerClaimsOf(token);
  const { expiresAt, issuedAt } = token;
  return {
    actor: actorOf({ projectId, accessScopeId, session }),
    clientToken: {
      ...{ expiresAt, issuedAt, signingKeyId: undefined, capabilities: undefined },
      consoleSession: session,
    },
  };
};

const actorOf = ({ projectId, accessScopeId, session: { principal } }: ObserverClaims): ConnectedActor => ({
  actorTokenId: observerId(projectId, principal),
  keyId: observerSubject(principal),
  ...{ projectId, accessScopeId, actorType: 'observer', status: 'active', expiresAt: null },
});

/** [WS-OBS-7] Rejects while the read models are unavailable. */
export const isObserverRevoked = async (
  views: Pick<ViewReader, 'find'>,
  session: ConsoleSession,
): Promise<boolean> =>
  isConsoleSessionRevoked(session, await findRevocations(views, revocableConsoleSession(session)));
