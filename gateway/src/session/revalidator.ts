import type { ActorChanges } from '@roomwire/shared/domain/actor';
import { isConsoleSessionRevoked, revocableConsoleSession } from '@roomwire/shared/domain/consoleAccess';
import {
  createdSessionRevocation,
  revocationKeys,
  type SessionRevocation,
  type SessionRevocationFields,
} from '@roomwire/shared/domain/sessionRevocation';
import type { TokenRevocationFields } from '@roomwire/shared/domain/tokenRevocation';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import { workSlices } from '@roomwire/shared/runtime/workSlices';
import type { GoodStanding } from '../access/credentials.js';
import type { Directory } from '../access/directory.js';
import { RecentChanges } from '../access/recentChanges.js';
import type { SigningKeys } from '../access/signingKeys.js';
import type { Retained } from '../fanout/retained.js';
import type { ConnectionLimit } from '../limits/connectionLimit.js';
import type { Plans } from '../limits/plans.js';
import type { PersistentSessions } from '../subscriptions/persistentSessions.js';
import { readActor, type ActorReading } from './actorReading.js';
import { coalesced } from './coalesced.js';
import type { Ending } from './endings.js';
import type { Roster } from './roster.js';
import type { Session } from './session.js';

interface RevalidatorDeps {
  readonly views: ViewReader;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly directory: Directory;
  readonly signingKeys: Pick<SigningKeys, 'changed' | 'projectChanged' | 'forgetAll'>;
  readonly roster: Roster;
  readonly retained: LastValues;
  readonly persistentSessions: Pick<PersistentSessions, 'forgetActor'>;
  readonly plans: Plans;
  readonly connectionLimit: Pick<ConnectionLimit, 'enforce'>;
}

/** They are deleted with what they belong to. */
type LastValues = Pick<
  Retained,
  `${'project' | 'scope' | 'app' | 'room' | 'topic'}Deleted` | 'topicsConfigured'
>;

const retryAfterMs = 1_000;
const readsAtOnce = 16;
const maxReadings = 3;

/**
 * Ends connections, subscriptions and presences that are no longer admitted. That something was changed is a reason to read its
 * record, which holds the event already: an event that arrives again, or late, says nothing of what it is now. Only a deletion is
 * for ever.
 */
export class Revalidator {
  /**
   * Of what the rights of connections rest on, by the id of the actor, project, organization, scope or signing key, or what revokes a session, for callers that
   * read documents meanwhile.
   */
  readonly changes = new RecentChanges();
  /** Reads an actor's documents again and closes its sessions when it may no longer be connected. */
  readonly recheckActor: (actorTokenId: string) => void;
  /** Ends the subscriptions of a project that changed documents no longer allow. */
  readonly recheckProject: (projectId: string) => void;
  readonly retained: LastValues;
  private readonly recheckOrganization: (organizationId: string) => void;
  private readonly recheckScope: (accessScopeId: string) => void;
  private readonly recheckSigningKey: (signingKeyId: string) => void;
  private readonly deps: RevalidatorDeps;
  private isSweeping = false;

  constructor(deps: RevalidatorDeps) {
    this.deps = deps;
    this.retained = deps.retained;
    this.recheckActor = coalesced(async (id) => {
      if (!(await this.readActor(id).catch(this.rethrown))) throw new Error('The actor keeps changing');
    }, retryAfterMs);
    const rereading = (read: (id: string) => Promise<void>) =>
      coalesced((id) => read(id).catch(this.rethrown), retryAfterMs);
    this.recheckProject = rereading((id) => this.readProject(id));
    this.recheckOrganization = rereading((id) => this.readOrganization(id));
    this.recheckScope = rereading((id) => this.readScope(id));
    this.recheckSigningKey = rereading((id) => this.readSigningKey(id));
  }

  actorUpdated(actorTokenId: string, { status, expiresAt, accessScopeId }: ActorChanges): void {
    if ([status, expiresAt, accessScopeId].every((change) => change === undefined)) return;
    this.changes.add(actorTokenId);
    this.recheckActor(actorTokenId);
  }

  actorDeleted(actorTokenId: string): void {
    this.changes.add(actorTokenId);
    for (const session of this.deps.roster.ofActor(actorTokenId)) session.endFor('actor_missing');
    this.deps.persistentSessions.forgetActor(actorTokenId);
  }

  /** [HTTP-REVOKE-2] For ever: what it says is no reason to read. */
  tokensRevoked({ actorTokenId, before }: TokenRevocationFields): void {
    this.changes.add(actorTokenId);
    for (const session of this.deps.roster.ofActor(actorTokenId))
      if (session.isRevokedBy({ before })) session.endFor('token_revoked');
  }

  /** [WS-OBS-7] For ever, as well. */
  sessionRevoked(fields: SessionRevocationFields, occurredAt: string): void {
    const revocation = createdSessionRevocation(fields, occurredAt);
    this.changes.add(revocation.revokes);
    for (const session of this.deps.roster.observers())
      if (isRevoked(session, revocation)) session.endFor('session_revoked');
  }

  projectDeleted(projectId: string): void {
    this.changes.add(projectId);
    this.retained.projectDeleted(projectId);
    for (const session of this.deps.roster.ofProject(projectId)) session.endFor('project_missing');
  }

  organizationUpdated(organizationId: string): void {
    this.changes.add(organizationId);
    this.recheckOrganization(organizationId);
  }

  scopeUpdated(accessScopeId: string): void {
    this.changes.add(accessScopeId);
    this.recheckScope(accessScopeId);
  }

  scopeDeleted(projectId: string, accessScopeId: string): void {
    this.changes.add(accessScopeId);
    this.endScope(projectId, accessScopeId);
    this.retained.scopeDeleted(accessScopeId);
  }

  signingKeyUpdated(signingKeyId: string): void {
    this.changes.add(signingKeyId);
    this.deps.signingKeys.changed(signingKeyId);
    this.recheckSigningKey(signingKeyId);
  }

  signingKeyResealed(signingKeyId: string): void {
    this.deps.signingKeys.changed(signingKeyId);
  }

  signingKeyDeleted(projectId: string, signingKeyId: string): void {
    this.changes.add(signingKeyId);
    this.deps.signingKeys.changed(signingKeyId);
    this.endSigningKey(projectId, signingKeyId);
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
    this.retained.appDeleted(appId);
  }

  roomDeleted(projectId: string, roomId: string): void {
    this.roomChanged(projectId, roomId);
    this.retained.roomDeleted(roomId);
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

  /** What is needed from now on is read again. */
  forgetAll(): void {
    this.deps.directory.forgetAll();
    this.deps.signingKeys.forgetAll();
  }

  /** Safety net for missed events: reads everything again, a few actors at a time. */
  async recheckAll(): Promise<void> {
    if (this.isSweeping) return;
    this.isSweeping = true;
    this.forgetAll();
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
      const [first, ...others] = this.deps.roster.ofActor(actorTokenId);
      if (first === undefined) return true;
      const reading = await readActor({ ...this.deps, changes: this.changes }, [first, ...others]);
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

  private endScope(projectId: string, accessScopeId: string): void {
    this.endWhere(projectId, (session) => session.isInScope(accessScopeId), 'scope_inactive');
  }

  private endSigningKey(projectId: string, signingKeyId: string): void {
    const isSignedByIt = (session: Session) => session.signingKeyId === signingKeyId;
    this.endWhere(projectId, isSignedByIt, 'signing_key_inactive');
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

const isRevoked = ({ consoleSession }: Session, revocation: SessionRevocation): boolean =>
  consoleSession !== undefined &&
  revocationKeys(revocableConsoleSession(consoleSession)).includes(revocation.revokes) &&
  isConsoleSessionRevoked(consoleSession, [revocation]);
