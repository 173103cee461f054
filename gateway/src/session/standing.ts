import type { CloseName } from '@roomwire/shared/contracts/protocol/closes';
import type { Actor } from '@roomwire/shared/domain/actors/actor';
import type { Plan } from '@roomwire/shared/domain/organizations/organization';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import type { ActorScope } from './identity.js';

export interface GoodStanding {
  readonly actor: Actor;
  readonly organizationId: string;
  readonly plan: Plan;
  readonly accessScope: ActorScope | null;
}

/** What is wrong with an actor, as the reason for which a live connection of it is closed. */
export type BadStanding = Extract<
  CloseName,
  'tokenRevoked' | 'tokenExpired' | 'tokenNotFound' | 'projectNotFound' | 'scopeInactive'
>;

/** Whether an actor, as the read models hold it, may be connected. Rejects when the read models fail. */
export const standingOf = async (
  views: ViewStore,
  clock: Clock,
  actor: Actor | undefined,
): Promise<GoodStanding | BadStanding> => {
  if (actor === undefined) return 'tokenNotFound';
  if (actor.status !== 'active') return 'tokenRevoked';
  if (expiryOf(actor) <= clock.now()) return 'tokenExpired';
  const project = await views.get('projects', actor.projectId);
  if (project === undefined) return 'projectNotFound';
  const organization = await views.get('organizations', project.organizationId);
  if (organization?.status !== 'active') return 'tokenRevoked';
  const accessScope = await scopeOf(views, actor);
  if (accessScope === undefined) return 'scopeInactive';
  return { actor, organizationId: project.organizationId, plan: organization.plan, accessScope };
};

/** [WS-SCOPE-2] Undefined for a scope that denies its actors: inactive, deleted, or of another project. */
const scopeOf = async (views: ViewStore, actor: Actor): Promise<ActorScope | null | undefined> => {
  if (actor.accessScopeId === null) return null;
  const scope = await views.get('scopes', actor.accessScopeId);
  if (!scope?.isActive || scope.projectId !== actor.projectId) return undefined;
  const { accessScopeId, slug, name } = scope;
  return { accessScopeId, slug, name };
};

/** Milliseconds since 1970; infinity for an actor that does not expire. */
export const expiryOf = ({ expiresAt }: Pick<Actor, 'expiresAt'>): number =>
  expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
