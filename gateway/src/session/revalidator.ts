import type { ActorChanges } from '@roomwire/shared/domain/actor';
import type { Plan } from '@roomwire/shared/domain/organization';
import type { ScopeChanges } from '@roomwire/shared/domain/scope';
import type { StandingRule } from '@roomwire/shared/domain/standing';
import type { SigningKeyChanges } from '@roomwire/shared/domain/signingKey';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { workSlices } from '@roomwire/shared/runtime/workSlices';
import type { Identity } from '../access/client.js';
import { standingOf, type GoodStanding, type SigningKeys } from '../access/credentials.js';
import type { Directory } from '../access/directory.js';
import { RecentChanges } from '../access/recentChanges.js';
import type { Retained } from '../fanout/retained.js';
import type { ConnectionLimit } from '../limits/connectionLimit.js';
import type { Plans } from '../limits/plans.js';
import type { PersistentSessions } from '../subscriptions/persistentSessions.js';
import type { Ending } from './endings.js';
import type { Roster } from './roster.js';
import type { Session } from './session.js';

interface RevalidatorDeps {
  readonly views: ViewReader;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly directory: Directory;
  readonly signingKeys: SigningKeys;
  readonly roster: Roster;
  readonly retained: Retained;
  readonly persistentSessions: Pick<PersistentSessions, 'forgetActor'>;
  readonly plans: Plans;
  readonly connectionLimit: Pick<ConnectionLimit, 'enforce'>;
}

const retryAfterMs = 1_000;
const readsAtOnce = 16;
const maxReadings = 3;

/** What the documents say of an actor. */
interface ActorReading {
  readonly standing: GoodStanding | StandingRule;
  readonly endedKeys: ReadonlySet<string | undefined>;
  /** Whether something that was read has changed meanwhile. */
  readonly isStale: boolean;
}

/** Ends connections, subscriptions and presences that are no longer admitted. */
export class Revalidator {
  /**
   * Of what the rights of connections rest on, by the id of the actor, project, organization, scope or signing key, for callers that
   * read documents meanwhile.
   */
  readonly changes = new RecentChanges();
  /** Reads an actor's documents again and closes its sessions when it may no longer be connected. */
  readonly recheckActor: (actorTokenId: string) => void;
  /** Ends the subscriptions of a project that changed documents no longer allow. */
  readonly recheckProject: (projectId: string) => void;
  private readonly deps: RevalidatorDeps;
  private isSweeping = false;

  constructor(deps: RevalidatorDeps) {
    this.deps = deps;
    this.recheckActor = coalesced(async (id) => {
      if (!(await this.readActor(id).catch(this.rethrown))) throw new Error('The actor keeps changing');
    }, retryAfterMs);
    this.recheckProject = coalesced((id) => this.readProject(id).catch(this.rethrown), retryAfterMs);
  }

  actorUpdated(actorTokenId: string, changes: ActorChanges): void {
    const { status, expiresAt, accessScopeId } = changes;
    if ([status, expiresAt, accessScopeId].some((change) => change !== undefined))
      this.changes.add(actorTokenId);
    for (const session of this.deps.roster.ofActor(actorTokenId)) {
      if (status === 'disabled') session.endFor('actor_disabled');
      session.actorUpdated(changes);
    }
    // The scope's slug is not in the event.
    if (accessScopeId !== undefined) this.recheckActor(actorTokenId);
  }

  actorDeleted(actorTokenId: string): void {
    this.changes.add(actorTokenId);
    for (const session of this.deps.roster.ofActor(actorTokenId)) session.endFor('actor_missing');
    this.deps.persistentSessions.forgetActor(actorTokenId);
  }

  projectDeleted(projectId: string): void {
    this.changes.add(projectId);
    this.deps.retained.projectDeleted(projectId);
    for (const session of this.deps.roster.ofProject(projectId)) session.endFor('project_missing');
  }

  organizationSuspended(organizationId: string): void {
    this.changes.add(organizationId);
    for (const session of this.deps.roster.ofOrganization(organizationId))
      session.endFor('organization_suspended');
  }

  planChanged(organizationId: string, plan: Plan): void {
    this.changes.add(organizationId);
    this.deps.plans.changed(organizationId, plan);
    this.deps.connectionLimit.enforce(organizationId);
  }

  scopeUpdated(projectId: string, accessScopeId: string, { isActive, name }: ScopeChanges): void {
    if (isActive === false) return this.scopeEnded(projectId, accessScopeId);
    if (!name) return;
    this.changes.add(accessScopeId);
    for (const session of this.deps.roster.ofProject(projectId)) session.scopeRenamed(accessScopeId, name);
  }

  scopeEnded(projectId: string, accessScopeId: string): void {
    this.changes.add(accessScopeId);
    const isInside = (session: Session) => session.isInScope(accessScopeId);
    this.endWhere(projectId, isInside, 'scope_inactive');
  }

  scopeDeleted(projectId: string, accessScopeId: string): void {
    this.scopeEnded(projectId, accessScopeId);
    this.deps.retained.scopeDeleted(accessScopeId);
  }

  signingKeyUpdated(projectId: string, signingKeyId: string, { status }: SigningKeyChanges): void {
    if (status === 'disabled') this.signingKeyEnded(projectId, signingKeyId);
    else this.deps.signingKeys.changed(signingKeyId);
  }

  signingKeyResealed(signingKeyId: string): void {
    this.deps.signingKeys.changed(signingKeyId);
  }

  signingKeyEnded(projectId: string, signingKeyId: string): void {
    this.changes.add(signingKeyId);
    this.deps.signingKeys.changed(signingKeyId);
    const isSignedByIt = (session: Session) => session.signingKeyId === signingKeyId;
    this.endWhere(projectId, isSignedByIt, 'signing_key_inactive');
  }

  appChanged(projectId: string, appId: string): void {
    this.deps.directory.appChanged(appId);
    this.recheckProject(projectId);
  }

  roomChanged(projectId: string, roomId: string): void {
    this.deps.directory.roomChanged(roomId);
    this.recheckProject(projectId);
  }

  appDeleted(projectId: string, appId: string): void {
    this.appChanged(projectId, appId);
    this.deps.retained.appDeleted(appId);
  }

  roomDeleted(projectId: string, roomId: string): void {
    this.roomChanged(projectId, roomId);
    this.deps.retained.roomDeleted(roomId);
  }

  /** An event of an unknown type happened in the project, or to the organization where there is none. */
  anythingChanged(organizationId: string, projectId: string): void {
    this.changes.add(organizationId);
    this.deps.directory.projectChanged(projectId);
    this.deps.signingKeys.projectChanged(projectId);
    this.recheckProject(projectId);
    const actors = this.deps.roster.ofProject(projectId).map(({ identity }) => identity.actorTokenId);
    for (const actorTokenId of new Set(actors)) this.recheckActor(actorTokenId);
  }

  /** Safety net for missed events: reads everything again, a few actors at a time. */
  async recheckAll(): Promise<void> {
    if (this.isSweeping) return;
    this.isSweeping = true;
    this.deps.directory.forgetAll();
    this.deps.signingKeys.forgetAll();
    for (const projectId of this.deps.roster.projectIds()) this.recheckProject(projectId);
    const actorIds = [...this.deps.roster.actorIds()];
    const readNext = async (): Promise<void> => {
      for (let id = actorIds.pop(); id !== undefined; id = actorIds.pop()) {
        if ((await this.readActor(id).catch(this.logged)) === false) this.recheckActor(id);
      }
    };
    await Promise.all(Array.from({ length: readsAtOnce }, readNext));
    this.isSweeping = false;
  }

  /**
   * Reads again after a concurrent change, so that a stale document does not override an event. False for an actor that kept changing:
   * its sessions may have ended, and nothing else is known.
   */
  private async readActor(actorTokenId: string): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      const [session] = this.deps.roster.ofActor(actorTokenId);
      if (session === undefined) return true;
      const reading = await this.readingOf(session.identity);
      if (reading.isStale && attempt < maxReadings) continue;
      this.apply(reading, actorTokenId);
      return !reading.isStale;
    }
  }

  private async readingOf({ actorTokenId, projectId, organizationId }: Identity): Promise<ActorReading> {
    const { views, clock } = this.deps;
    const before = this.changes.latest;
    const actor = await views.get('actors', actorTokenId);
    const standing = await standingOf(views, clock, actor);
    const endedKeys = await this.readEndedKeys(actorTokenId);
    const read = [actorTokenId, projectId, organizationId, actor?.accessScopeId];
    return { standing, endedKeys, isStale: this.changes.haveTouched(read, before) };
  }

  private apply({ standing, endedKeys, isStale }: ActorReading, actorTokenId: string): void {
    for (const session of this.deps.roster.ofActor(actorTokenId)) {
      if (typeof standing === 'string') session.endFor(standing);
      else if (endedKeys.has(session.signingKeyId)) session.endFor('signing_key_inactive');
      else if (!isStale) this.standingRead(session, standing);
    }
  }

  /** The signing keys of an actor's connections that are no longer active. */
  private async readEndedKeys(actorTokenId: string): Promise<ReadonlySet<string | undefined>> {
    const { roster, views } = this.deps;
    const ended = new Set<string>();
    for (const { signingKeyId } of roster.ofActor(actorTokenId)) {
      if (signingKeyId === undefined) continue;
      const key = await views.get('signingKeys', signingKeyId);
      if (key?.status !== 'active') ended.add(signingKeyId);
    }
    return ended;
  }

  private standingRead(session: Session, standing: GoodStanding): void {
    this.deps.plans.read(standing.organizationId, standing.plan);
    session.standingRead(standing);
  }

  private endWhere(projectId: string, isMeant: (session: Session) => boolean, ending: Ending): void {
    for (const session of this.deps.roster.ofProject(projectId)) {
      if (isMeant(session)) session.endFor(ending);
    }
  }

  private async readProject(projectId: string): Promise<void> {
    // Mostly nothing has to be read, so that without slices all its connections would be checked in one turn.
    const slices = workSlices();
    for (const session of this.deps.roster.ofProject(projectId)) {
      if (slices.isOver()) await slices.next();
      await session.recheck();
    }
  }

  private readonly logged = (error: unknown): void => {
    this.deps.logger.warn('Rights could not be checked again; the connections stay until they can', {
      error,
    });
  };

  private readonly rethrown = (error: unknown): never => {
    this.logged(error);
    throw error;
  };
}

/**
 * Runs an action for a key, one at a time. Calls during a run cause one more run, so that the last run
 * begins after the last call. A failed run is repeated after a pause.
 */
export const coalesced = (
  action: (key: string) => Promise<void>,
  retryAfterMs: number,
): ((key: string) => void) => {
  const again = new Map<string, boolean>();

  const run = (key: string): void => {
    again.set(key, false);
    action(key).then(
      () => (again.get(key) ? run(key) : void again.delete(key)),
      () => void setTimeout(() => run(key), retryAfterMs).unref(),
    );
  };

  return (key) => (again.has(key) ? void again.set(key, true) : run(key));
};
