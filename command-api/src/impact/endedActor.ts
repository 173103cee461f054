import { evolveActor, type ActorEvent } from '@roomwire/shared/domain/actor';
import type { DomainEvent } from '@roomwire/shared/domain/events';
import { ownRule, type StandingRule } from '@roomwire/shared/domain/standing';
import { actorTarget } from '../actors/decider.js';
import type { ResourceDeps } from '../http/route.js';

type ActorChange = Extract<ActorEvent, { readonly type: 'ActorUpdated' | 'ActorDeleted' }>;

export const isActorChange = (event: DomainEvent): event is ActorChange =>
  event.type === 'ActorUpdated' || event.type === 'ActorDeleted';

interface EndedActor {
  readonly actorTokenId: string;
  readonly rule: StandingRule;
}

/** Whether an actor could not be connected any more after a change, and by which rule; undefined for one that could. */
export const endedBy = async (
  { commands, views }: Pick<ResourceDeps, 'commands' | 'views'>,
  change: ActorChange,
  occurredAt: string,
): Promise<EndedActor | undefined> => {
  const { actorTokenId } = change.data;
  const after = await commands.inspect(actorTarget(actorTokenId), ({ actor }) =>
    evolveActor(actor, { ...change, occurredAt }),
  );
  const own = ownRule(after, Date.parse(occurredAt));
  if (own !== undefined) return { actorTokenId, rule: own };
  // In another scope its subscriptions go on, unless that denies its actors.
  const accessScopeId = after?.accessScopeId ?? null;
  if (change.type === 'ActorDeleted' || change.data.changes.accessScopeId == null || accessScopeId === null)
    return undefined;
  const scope = await views.get('scopes', accessScopeId);
  return scope?.isActive === false ? { actorTokenId, rule: 'scope_inactive' } : undefined;
};
