import type { CloseName } from '@roomwire/shared/wire/protocol/closes';
import type { Actor } from '@roomwire/shared/domain/actors/actor';
import { standingRule, type Standing, type StandingRule } from '@roomwire/shared/domain/actors/standing';
import type { Plan } from '@roomwire/shared/domain/organizations/organization';
import type { Scope } from '@roomwire/shared/domain/scopes/scope';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import type { ActorScope } from './identity.js';

export { expiryOf } from '@roomwire/shared/domain/actors/standing';

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

const badStandings: { readonly [R in StandingRule]: BadStanding } = {
  actor_missing: 'tokenNotFound',
  actor_disabled: 'tokenRevoked',
  actor_expired: 'tokenExpired',
  project_missing: 'projectNotFound',
  organization_suspended: 'tokenRevoked',
  scope_inactive: 'scopeInactive',
};

/** Whether an actor, as the read models hold it, may be connected. Rejects when the read models fail. */
export const standingOf = async (
  views: ViewStore,
  clock: Clock,
  actor: Actor | undefined,
): Promise<GoodStanding | BadStanding> => {
  const standing = await readStanding(views, actor);
  const { organization, scope } = standing;
  const rule = standingRule(standing, clock.now());
  if (rule !== undefined) return badStandings[rule];
  if (actor === undefined || organization === undefined) return 'tokenNotFound';
  const { organizationId, plan } = organization;
  return { actor, organizationId, plan, accessScope: scope ? shown(scope) : null };
};

const readStanding = async (views: ViewStore, actor: Actor | undefined): Promise<Standing> => {
  const project = actor && (await views.get('projects', actor.projectId));
  const organization = project && (await views.get('organizations', project.organizationId));
  const scopeId = actor?.accessScopeId ?? null;
  const scope = scopeId === null ? undefined : await views.get('scopes', scopeId);
  return { actor, project, organization, scope };
};

const shown = ({ accessScopeId, slug, name }: Scope): ActorScope => ({ accessScopeId, slug, name });
