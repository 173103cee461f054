import type { ActorFields } from '@roomwire/shared/domain/actor';
import type { ScopeMembership } from '@roomwire/shared/domain/scope';
import { RevisionConflict } from '@roomwire/shared/ports/errors';
import type { CommandHandler } from '../handling/commandHandler.js';
import { Rejection } from '../handling/rejections.js';
import type { CommandContext } from '../handling/streamWriter.js';
import { unwritten } from '../handling/writeModel.js';
import type { ResourceDeps } from '../http/route.js';
import { membershipsIn, scopesTarget, type HeldMembership } from '../scopes/decider.js';
import { actorTarget, membershipOf, type ActorCommand, type ActorState } from './decider.js';

/*
 * Scopes and actors are decided on separate streams, and no append writes to two streams. An actor takes a membership of
 * the scope before its own event moves it there, and releases the membership after its own event has moved it out: whatever
 * fails in between, a scope without memberships has no actor and may be deleted. A failure may leave a membership that no
 * actor holds; deleting the scope releases it once its actor has had the time to arrive.
 */

/** The scope that an actor is to be in: null for none, undefined for its current one. */
export type AskedScope = string | null | undefined;

type MembershipFields = Partial<Pick<ActorFields, 'accessScopeId' | 'scopeMembershipId'>>;

export interface ActorChange<Result> {
  readonly actorTokenId: string;
  /** Its id has been drawn for it. */
  readonly isNew?: true;
  readonly projectId: string;
  readonly accessScopeId: AskedScope;
  readonly context: CommandContext;
  /** The command, with the fields of the actor's membership that it sets. */
  readonly command: (membership: MembershipFields) => ActorCommand;
  readonly select: (state: ActorState) => Result;
}

/** Carries out a command on an actor, and takes and releases memberships of the scopes that it moves between. */
export const changeActor = async <Result>(
  deps: Pick<ResourceDeps, 'commands' | 'random'>,
  change: ActorChange<Result>,
): Promise<Result> => {
  const { commands } = deps;
  const { projectId, context } = change;
  const taken = await takeMembership(deps, change);
  const { result, left, held } = await moveActor(commands, change, taken);
  const unused = taken?.membershipId === held?.membershipId ? undefined : taken;
  for (const membership of [left, unused])
    if (membership) await release(commands, projectId, membership, context);
  return result;
};

interface Moved<Result> {
  readonly result: Result;
  readonly left: ScopeMembership | undefined;
  readonly held: ScopeMembership | undefined;
}

const moveActor = async <Result>(
  commands: CommandHandler,
  { actorTokenId, isNew, projectId, accessScopeId, context, command, select }: ActorChange<Result>,
  taken: ScopeMembership | undefined,
): Promise<Moved<Result>> => {
  try {
    return await commands.execute(
      isNew ? unwritten(actorTarget(actorTokenId)) : actorTarget(actorTokenId),
      command(membershipFields(accessScopeId, taken)),
      context,
      (state) => ({ result: select(state), left: state.left, held: membershipOf(state.actor) }),
    );
  } catch (error) {
    if (taken && hasNotHappened(error)) await release(commands, projectId, taken, context);
    throw error;
  }
};

const takeMembership = async (
  { commands, random }: Pick<ResourceDeps, 'commands' | 'random'>,
  { actorTokenId, projectId, accessScopeId, context }: ActorChange<unknown>,
): Promise<ScopeMembership | undefined> => {
  if (accessScopeId === null || accessScopeId === undefined) return undefined;
  const membership = { membershipId: random.uuid(), accessScopeId, actorTokenId };
  await commands.execute(scopesTarget(projectId), { type: 'TakeMembership', membership }, context);
  return membership;
};

const membershipFields = (accessScopeId: AskedScope, taken: ScopeMembership | undefined): MembershipFields =>
  accessScopeId === undefined ? {} : { accessScopeId, scopeMembershipId: taken?.membershipId ?? null };

const release = (
  commands: CommandHandler,
  projectId: string,
  { membershipId, accessScopeId, actorTokenId }: ScopeMembership,
  context: CommandContext,
): Promise<void> =>
  commands.execute(
    scopesTarget(projectId),
    { type: 'ReleaseMembership', membership: { membershipId, accessScopeId, actorTokenId } },
    context,
  );

/** After any other failure the actor may hold the membership. */
const hasNotHappened = (error: unknown): boolean =>
  error instanceof Rejection || error instanceof RevisionConflict;

/** Far longer than the appends of a request take: an actor that does not hold its membership by then never will. */
const abandonedAfterMs = 60_000;

/** Releases the memberships of a scope that no actor holds: those left by a process that ended between two appends. */
export const releaseAbandonedMemberships = async (
  { commands, views }: Pick<ResourceDeps, 'commands' | 'views'>,
  { accessScopeId, projectId }: { readonly accessScopeId: string; readonly projectId: string },
  context: CommandContext,
): Promise<void> => {
  const takenBefore = Date.parse(context.occurredAt) - abandonedAfterMs;
  const memberships = await commands.inspect(scopesTarget(projectId), (state) =>
    membershipsIn(state, accessScopeId).filter(({ takenAt }) => Date.parse(takenAt) < takenBefore),
  );
  if (memberships.length === 0) return;
  // The read models only save checks of actors that hold their membership; the actor's stream is what counts.
  const actors = await views.find('actors', { filter: { accessScopeId } });
  const seen = new Set(actors.map(({ scopeMembershipId }) => scopeMembershipId));
  for (const membership of memberships) {
    if (seen.has(membership.membershipId) || (await isHeld(commands, membership))) continue;
    await release(commands, projectId, membership, context);
  }
};

const isHeld = (commands: CommandHandler, { actorTokenId, membershipId }: HeldMembership): Promise<boolean> =>
  commands.inspect(
    actorTarget(actorTokenId),
    ({ actor }) => membershipOf(actor)?.membershipId === membershipId,
  );
