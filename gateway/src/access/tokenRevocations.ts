import type { Clock } from '@roomwire/shared/ports/clock';
import type { TokenRevocationFields } from '@roomwire/shared/domain/tokenRevocation';
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

/** One that has expired is removed a little later. */
const keptAt = (now: number): ViewFilter => ({ keptUntil: { $gt: new Date(now).toISOString() } });
