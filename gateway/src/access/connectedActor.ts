import { externalActorId, readExternalClaims } from '@roomwire/shared/credentials/externalActor';
import { namesObserver, observedBy } from '@roomwire/shared/credentials/observerToken';
import type { ClientToken } from '@roomwire/shared/credentials/clientToken';
import type { Actor } from '@roomwire/shared/domain/actor';
import {
  externalTokenLifeMs,
  isExternalSubject,
  namesExternalActor,
} from '@roomwire/shared/domain/tokenRevocation';
import type { OpenedKey } from './signingKeys.js';

/** An actor as far as connections depend on it: that of a record, or one that its client token alone makes. */
export type ConnectedActor = Pick<
  Actor,
  'actorTokenId' | 'projectId' | 'keyId' | 'actorType' | 'accessScopeId' | 'status' | 'expiresAt'
>;

/** Whether its tokens alone make it. In the place of its public id stands their `sub`. */
export const isExternal = ({ keyId }: Pick<ConnectedActor, 'keyId'>): boolean => namesExternalActor(keyId);

/** Whether it is one of the console, which stands for a session. */
export const isObserver = ({ keyId }: Pick<ConnectedActor, 'keyId'>): boolean => namesObserver(keyId);

export const hasRecord = (actor: Pick<ConnectedActor, 'keyId'>): boolean =>
  !isExternal(actor) && !isObserver(actor);

/** As the access log has it. */
export const principalOf = (actor: Pick<ConnectedActor, 'keyId'>): string =>
  isObserver(actor) ? observedBy(actor.keyId) : `actor:${actor.keyId}`;

export type ExternalActorRule =
  'external_actors_not_allowed' | 'external_token_malformed' | 'external_token_too_long';

/**
 * [WS-EXT-1] The actor that a token makes, or why it makes none. `now`: milliseconds since 1970. The signature must have been
 * verified.
 */
export const externalActor = (
  { subject, expiresAt, roomwire }: ClientToken,
  { projectId, allowExternalActors }: Pick<OpenedKey, 'projectId' | 'allowExternalActors'>,
  now: number,
): ConnectedActor | ExternalActorRule => {
  if (!allowExternalActors) return 'external_actors_not_allowed';
  const claims = isExternalSubject(subject) ? readExternalClaims(roomwire) : undefined;
  if (claims === undefined || expiresAt === undefined) return 'external_token_malformed';
  if (expiresAt * 1_000 > now + externalTokenLifeMs) return 'external_token_too_long';
  const actorTokenId = externalActorId(projectId, subject);
  return { actorTokenId, projectId, keyId: subject, ...claims, status: 'active', expiresAt: null };
};
