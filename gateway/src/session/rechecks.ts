import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { atOnce } from '@roomwire/shared/runtime/atOnce';
import { workSlices } from '@roomwire/shared/runtime/workSlices';
import type { GoodStanding } from '../access/credentials.js';
import type { Directory } from '../access/directory.js';
import type { RecentChanges } from '../access/recentChanges.js';
import type { SigningKeys } from '../access/signingKeys.js';
import type { ConnectionLimit } from '../limits/connectionLimit.js';
import type { Plans } from '../limits/plans.js';
import { readActor, type ActorReading } from './actorReading.js';
import { coalesced } from './coalesced.js';
import type { Ending } from './endings.js';
import type { Roster } from './roster.js';
import type { Session } from './session.js';

export interface RechecksDeps {
  readonly views: ViewReader;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly directory: Directory;
  readonly signingKeys: Pick<SigningKeys, 'forget'>;
  readonly roster: Roster;
  readonly plans: Plans;
  readonly connectionLimit: Pick<ConnectionLimit, 'enforce'>;
  /** Of what the rights of connections rest on. */
  readonly changes: RecentChanges;
}

const retryAfterMs = 1_000;
const readsAtOnce = 16;
const maxReadings = 3;

/** Reads what the rights of connections rest on, and ends what they no longer allow. */
export class Rechecks {
  /** Reads an actor's documents again and closes its sessions when it may no longer be connected. */
  readonly actor: (actorTokenId: string) => void;
  /** Ends the subscriptions of a project that changed documents no longer allow. */
  readonly project: (projectId: string) => void;
  readonly organization: (organizationId: string) => void;
  readonly scope: (accessScopeId: string) => void;
  readonly signingKey: (signingKeyId: string) => void;
  private readonly deps: RechecksDeps;

  constructor(deps: RechecksDeps) {
    this.deps = deps;
    this.actor = coalesced(async (id) => {
      if (!(await this.readActor(id).catch(this.rethrown))) throw new Error('The actor keeps changing');
    }, retryAfterMs);
    const rereading = (read: (id: string) => Promise<void>) =>
      coalesced((id) => read(id).catch(this.rethrown), retryAfterMs);
    this.project = rereading((id) => this.readProject(id));
    this.organization = rereading((id) => this.readOrganization(id));
    this.scope = rereading((id) => this.readScope(id));
    this.signingKey = rereading((id) => this.readSigningKey(id));
  }

  /**
   * Reads again what the rights of these actors and projects rest on, a few actors at a time. Resolves with how many actors were read, and
   * whether that was all of them.
   */
  async everythingOf(
    isMeant: (id: string) => boolean,
  ): Promise<{ readonly actors: number; readonly isWhole: boolean }> {
    const { directory, signingKeys, roster, changes } = this.deps;
    // Whoever is being authenticated is in no list yet, and is looked at again because of this.
    changes.addAll();
    directory.forget(isMeant);
    signingKeys.forget(isMeant);
    for (const projectId of roster.projectIds()) if (isMeant(projectId)) this.project(projectId);
    const actorIds = roster.actorIds().filter(isMeant);
    let isWhole = true;
    await atOnce(readsAtOnce, actorIds, async (id) => {
      const isRead = await this.readActor(id).catch(this.logged);
      if (isRead === undefined) isWhole = false;
      else if (!isRead) this.actor(id);
    });
    return { actors: actorIds.length, isWhole };
  }

  /** Ends the connections in a scope. */
  endScope(projectId: string, accessScopeId: string): void {
    this.endWhere(projectId, (session) => session.isInScope(accessScopeId), 'scope_inactive');
  }

  /** Ends the connections whose tokens it signed. */
  endSigningKey(projectId: string, signingKeyId: string): void {
    const isSignedByIt = (session: Session) => session.signingKeyId === signingKeyId;
    this.endWhere(projectId, isSignedByIt, 'signing_key_inactive');
  }

  /**
   * Reads again after a concurrent change, so that a stale document does not override an event. False for an actor that kept changing:
   * its sessions may have ended, and nothing else is known.
   */
  private async readActor(actorTokenId: string): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      const [first, ...others] = this.deps.roster.ofActor(actorTokenId);
      if (first === undefined) return true;
      const reading = await readActor(this.deps, [first, ...others]);
      if (reading.isStale && attempt < maxReadings) continue;
      this.apply(reading, actorTokenId);
      return !reading.isStale;
    }
  }

  private apply(reading: ActorReading, actorTokenId: string): void {
    for (const session of this.deps.roster.ofActor(actorTokenId)) {
      const found = reading.of(session);
      if (typeof found === 'string') session.endFor(found);
      else if (found !== undefined && !reading.isStale) this.standingRead(session, found);
    }
  }

  private standingRead(session: Session, standing: GoodStanding): void {
    this.deps.plans.read(standing.organizationId, standing.plan);
    session.standingRead(standing);
  }

  private async readOrganization(organizationId: string): Promise<void> {
    const { views, roster, plans, connectionLimit } = this.deps;
    const organization = await views.get('organizations', organizationId);
    if (organization === undefined) return;
    if (organization.status === 'suspended')
      for (const session of roster.ofOrganization(organizationId)) session.endFor('organization_suspended');
    plans.changed(organizationId, organization.plan);
    connectionLimit.enforce(organizationId);
  }

  private async readScope(accessScopeId: string): Promise<void> {
    const scope = await this.deps.views.get('scopes', accessScopeId);
    // It has been deleted, of which there is an event.
    if (scope === undefined) return;
    const { projectId, isActive, name } = scope;
    if (!isActive) return this.endScope(projectId, accessScopeId);
    for (const session of this.deps.roster.ofProject(projectId)) session.scopeRenamed(accessScopeId, name);
  }

  private async readSigningKey(signingKeyId: string): Promise<void> {
    const key = await this.deps.views.get('signingKeys', signingKeyId);
    // It has been deleted, of which there is an event.
    if (key === undefined) return;
    const { projectId, status, allowExternalActors } = key;
    if (status !== 'active') this.endSigningKey(projectId, signingKeyId);
    else if (!allowExternalActors) this.endExternal(projectId, signingKeyId);
  }

  /** [WS-EXT-6] */
  private endExternal(projectId: string, signingKeyId: string): void {
    const isMeant = (session: Session) =>
      session.signingKeyId === signingKeyId && session.actorOfToken !== undefined;
    this.endWhere(projectId, isMeant, 'external_actors_not_allowed');
  }

  private endWhere(projectId: string, isMeant: (session: Session) => boolean, ending: Ending): void {
    for (const session of this.deps.roster.ofProject(projectId)) {
      if (isMeant(session)) session.endFor(ending);
    }
  }

  private async readProject(projectId: string): Promise<void> {
    // Mostly nothing has to be read, so that without slices all its connections would be checked in one turn.
    const slices = workSlices();
    // [WS-TOPIC-4] Where something has to be read for each, one after the other would take too long.
    await atOnce(readsAtOnce, this.deps.roster.ofProject(projectId), async (session) => {
      if (slices.isOver()) await slices.next();
      await session.recheck();
    });
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
