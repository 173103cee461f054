import type { Organization } from './organization.js';
import type { Project } from './project.js';
import type { Scope } from './scope.js';
import type { Actor } from './actor.js';

/** Why an actor may not be connected at all. */
export type StandingRule =
  | 'actor_missing'
  | 'actor_disabled'
  | 'actor_expired'
  | 'project_missing'
  | 'organization_suspended'
  | 'scope_inactive';

/** What an actor's own record, or its client token, says of it here. */
export type StandingActor = Pick<Actor, 'projectId' | 'accessScopeId' | 'status' | 'expiresAt'>;

/** The actor, and those on which it depends. */
export interface Standing {
  readonly actor: StandingActor | undefined;
  readonly project: Project | undefined;
  readonly organization: Organization | undefined;
  /** The one that the actor is in. */
  readonly scope: Scope | undefined;
}

/** The first reason for a refusal that the actor's own record gives: no other need be read. `now`: milliseconds since 1970. */
export const ownRule = (actor: StandingActor | undefined, now: number): StandingRule | undefined => {
  if (actor === undefined) return 'actor_missing';
  if (actor.status !== 'active') return 'actor_disabled';
  return expiryOf(actor) <= now ? 'actor_expired' : undefined;
};

/** The first reason for a refusal, undefined when there is none. `now`: milliseconds since 1970. */
export const standingRule = (
  { actor, project, organization, scope }: Standing,
  now: number,
): StandingRule | undefined => {
  const own = ownRule(actor, now);
  if (own !== undefined || actor === undefined) return own;
  if (project === undefined) return 'project_missing';
  if (organization?.status !== 'active') return 'organization_suspended';
  return isDeniedByScope(actor, scope) ? 'scope_inactive' : undefined;
};

/** [WS-SCOPE-2] A scope denies its actors when it is inactive, deleted, or of another project. */
const isDeniedByScope = ({ accessScopeId, projectId }: StandingActor, scope: Scope | undefined): boolean =>
  accessScopeId !== null && (!scope?.isActive || scope.projectId !== projectId);

/** Milliseconds since 1970; infinity for an actor that does not expire. */
export const expiryOf = ({ expiresAt }: Pick<Actor, 'expiresAt'>): number =>
  expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
