import type { ActorFields } from '@roomwire/shared/domain/actors/actor';
import type { ScopeMembership } from '@roomwire/shared/domain/scopes/scope';
import { RevisionConflict } from '@roomwire/shared/ports/errors';
import type { CommandHandler } from '../handling/commandHandler.js';
import { Rejection } from '../handling/rejections.js';
import type { CommandContext } from '../handling/streamWriter.js';
import type { ResourceDeps } from '../http/route.js';
import { placesIn, scopesTarget, type HeldPlace } from '../scopes/decider.js';
import { actorTarget, placeOf, type ActorCommand, type ActorState } from './decider.js';

/*
 * Scopes and actors are decided on streams of their own, and two streams are never written together. So an actor
 * takes a place in the scope before its own event puts it there, and gives it back after its own event has taken it
 * out: whatever fails in between, a scope without places has no actor and may be deleted. What can be left behind is
 * a place that no actor holds. Deleting the scope gives such a place back once its actor has had the time to come.
 */

/** Which scope an actor is to be in: null for none, undefined for the one that it is in. */
export type AskedScope = string | null | undefined;

type PlaceFields = Partial<Pick<ActorFields, 'accessScopeId' | 'scopeMembershipId'>>;

export interface ActorChange<Result> {
  readonly actorTokenId: string;
  readonly projectId: string;
  readonly accessScopeId: AskedScope;
  readonly context: CommandContext;
  /** The command, given what it has to set of the actor's place. */
  readonly command: (place: PlaceFields) => ActorCommand;
  readonly select: (state: ActorState) => Result;
}

/** Carries out a command on an actor together with what it means for the scopes that the actor moves between. */
export const changeActor = async <Result>(
  deps: Pick<ResourceDeps, 'commands' | 'random'>,
  change: ActorChange<Result>,
): Promise<Result> => {
  const { commands } = deps;
  const { projectId, context } = change;
  const taken = await takePlace(deps, change);
  const { result, left, held } = await moveActor(commands, change, taken);
  const unused = taken?.membershipId === held?.membershipId ? undefined : taken;
  for (const place of [left, unused]) if (place) await giveBack(commands, projectId, place, context);
  return result;
};

interface Moved<Result> {
  readonly result: Result;
  readonly left: ScopeMembership | undefined;
  readonly held: ScopeMembership | undefined;
}

const moveActor = async <Result>(
  commands: CommandHandler,
  { actorTokenId, projectId, accessScopeId, context, command, select }: ActorChange<Result>,
  taken: ScopeMembership | undefined,
): Promise<Moved<Result>> => {
  try {
    return await commands.execute(
      actorTarget(actorTokenId),
      command(placeFields(accessScopeId, taken)),
      context,
      (state) => ({ result: select(state), left: state.left, held: placeOf(state.actor) }),
    );
  } catch (error) {
    if (taken && hasNotHappened(error)) await giveBack(commands, projectId, taken, context);
    throw error;
  }
};

const takePlace = async (
  { commands, random }: Pick<ResourceDeps, 'commands' | 'random'>,
  { actorTokenId, projectId, accessScopeId, context }: ActorChange<unknown>,
): Promise<ScopeMembership | undefined> => {
  if (accessScopeId === null || accessScopeId === undefined) return undefined;
  const place = { membershipId: random.uuid(), accessScopeId, actorTokenId };
  await commands.execute(scopesTarget(projectId), { type: 'TakePlace', place }, context, () => undefined);
  return place;
};

const placeFields = (accessScopeId: AskedScope, taken: ScopeMembership | undefined): PlaceFields =>
  accessScopeId === undefined ? {} : { accessScopeId, scopeMembershipId: taken?.membershipId ?? null };

const giveBack = (
  commands: CommandHandler,
  projectId: string,
  { membershipId, accessScopeId, actorTokenId }: ScopeMembership,
  context: CommandContext,
): Promise<void> =>
  commands.execute(
    scopesTarget(projectId),
    { type: 'GiveBackPlace', place: { membershipId, accessScopeId, actorTokenId } },
    context,
    () => undefined,
  );

/** After any other failure the actor may hold the place. */
const hasNotHappened = (error: unknown): boolean =>
  error instanceof Rejection || error instanceof RevisionConflict;

/** Far longer than the appends of a request may take: after it, an actor that does not hold its place never will. */
const abandonedAfterMs = 60_000;

/** Gives back the places in a scope that no actor holds: what was left by a process that ended between two appends. */
export const giveBackAbandonedPlaces = async (
  { commands, views }: Pick<ResourceDeps, 'commands' | 'views'>,
  { accessScopeId, projectId }: { readonly accessScopeId: string; readonly projectId: string },
  context: CommandContext,
): Promise<void> => {
  const takenBefore = Date.parse(context.occurredAt) - abandonedAfterMs;
  const places = await commands.inspect(scopesTarget(projectId), (state) =>
    placesIn(state, accessScopeId).filter(({ takenAt }) => Date.parse(takenAt) < takenBefore),
  );
  if (places.length === 0) return;
  // The read models only save the look at those that hold their place; they are not what is decided by.
  const actors = await views.find('actors', { filter: { accessScopeId } });
  const seen = new Set(actors.map(({ scopeMembershipId }) => scopeMembershipId));
  for (const place of places) {
    if (seen.has(place.membershipId) || (await isHeld(commands, place))) continue;
    await giveBack(commands, projectId, place, context);
  }
};

const isHeld = (commands: CommandHandler, { actorTokenId, membershipId }: HeldPlace): Promise<boolean> =>
  commands.inspect(actorTarget(actorTokenId), ({ actor }) => placeOf(actor)?.membershipId === membershipId);
