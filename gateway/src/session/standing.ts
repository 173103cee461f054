import type { CloseName } from '@roomwire/shared/contracts/protocol/closes';
import type { Actor } from '@roomwire/shared/domain/actors/actor';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';

export interface GoodStanding {
  readonly actor: Actor;
  readonly organizationId: string;
}

/** What is wrong with an actor, as the reason for which a live connection of it is closed. */
export type BadStanding = Extract<
  CloseName,
  'tokenRevoked' | 'tokenExpired' | 'tokenNotFound' | 'projectNotFound'
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
  return { actor, organizationId: project.organizationId };
};

/** Milliseconds since 1970; infinity for an actor that does not expire. */
export const expiryOf = ({ expiresAt }: Pick<Actor, 'expiresAt'>): number =>
  expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
