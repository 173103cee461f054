import type { Clock } from '@roomwire/shared/ports/clock';
import { isRevokedBy, type TokenRevocationFields } from '@roomwire/shared/domain/tokenRevocation';
import type { ScheduledPublish } from '@roomwire/shared/ports/scheduleStore';
import type { ViewFilter, ViewReader } from '@roomwire/shared/ports/viewStore';
import { isExternal, type ConnectedActor } from './connectedActor.js';

/** Of several revocations of an actor's tokens the one that holds. */
export type LatestRevocation = Pick<TokenRevocationFields, 'before'>;

/** Undefined where there is none. Rejects when the read models are unavailable. */
export const latestRevocation = async (
  views: Pick<ViewReader, 'find'>,
  clock: Pick<Clock, 'now'>,
  actor: Pick<ConnectedActor, 'actorTokenId' | 'keyId'>,
): Promise<LatestRevocation | undefined> => {
  const filter: ViewFilter = {
    actorTokenId: actor.actorTokenId,
    ...(isExternal(actor) && keptAt(clock.now())),
  };
  const [latest] = await views.find('tokenRevocations', { filter, sort: [['before', -1]], limit: 1 });
  return latest;
};

/**
 * Whether the token under which an external actor has scheduled a publish was revoked, however long ago: the publish may be due after the token is no longer good.
 * Rejects when the read models are unavailable.
 */
export const isRevokedSince = async (
  views: Pick<ViewReader, 'find'>,
  { actorTokenId, issuedAt, createdAt }: Pick<ScheduledPublish, 'actorTokenId' | 'issuedAt' | 'createdAt'>,
): Promise<boolean> => {
  const filter: ViewFilter = {
    actorTokenId,
    // Each is about a token without `iat`: those that were no longer kept when it was used are not meant.
    ...(issuedAt === null && { createdAt: { $gt: new Date(createdAt).toISOString() } }),
  };
  const [latest] = await views.find('tokenRevocations', { filter, sort: [['before', -1]], limit: 1 });
  if (latest === undefined) return false;
  // Those that were stored by an earlier version do not say when it was issued.
  return issuedAt === undefined
    ? Date.parse(latest.before) > createdAt
    : isRevokedBy(latest, issuedAt ?? undefined);
};

/** One that has expired is removed a little later. */
const keptAt = (now: number): ViewFilter => ({ keptUntil: { $gt: new Date(now).toISOString() } });
