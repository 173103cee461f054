import {
  mergedActorImpact,
  noActorImpact,
  type ActorImpact,
  type ActorImpactQuery,
} from '@roomwire/shared/ports/impact';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { FoundCutOffs } from './foundCutOffs.js';
import type { Roster } from './roster.js';

/** What would end on this gateway, could an actor not be connected any more. Nothing is changed. */
export const localActorImpact = (
  roster: Pick<Roster, 'ofActor'>,
  { projectId, actorTokenId, rule }: ActorImpactQuery,
): ActorImpact => {
  const sessions = roster.ofActor(actorTokenId).filter(({ identity }) => identity.projectId === projectId);
  const found = new FoundCutOffs();
  for (const { subscriptions } of sessions)
    for (const [address, { access }] of subscriptions.entries)
      found.add({ actorTokenId, address, rule, scope: access.scope });
  const { impact } = found;
  return sessions.length === 0
    ? noActorImpact
    : mergedActorImpact([{ ...impact, connections: sessions.length }], limitTable.impactOfGateway.value);
};
