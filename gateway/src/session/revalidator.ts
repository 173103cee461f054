import type { ActorChanges } from '@roomwire/shared/domain/actor';
import { isConsoleSessionRevoked, revocableConsoleSession } from '@roomwire/shared/domain/consoleAccess';
import {
  createdSessionRevocation,
  revocationKeys,
  type SessionRevocation,
  type SessionRevocationFields,
} from '@roomwire/shared/domain/sessionRevocation';
import type { TokenRevocationFields } from '@roomwire/shared/domain/tokenRevocation';
import { RecentChanges } from '../access/recentChanges.js';
import type { SigningKeys } from '../access/signingKeys.js';
import type { Retained } from '../fanout/retained.js';
import type { PersistentSessions } from '../subscriptions/persistentSessions.js';
import { Rechecks, type RechecksDeps } from './rechecks.js';
import type { Session } from './session.js';

interface RevalidatorDeps extends Omit<RechecksDeps, 'changes' | 'signingKeys'> {
  readonly signingKeys: Pick<SigningKeys, 'changed' | 'projectChanged' | 'forget' | 'forgetAll'>;
  readonly retained: LastValues;
  readonly persistentSessions: Pick<PersistentSessions, 'forgetActor'>;
}

/** They are deleted with what they belong to. */
type LastValues = Pick<
  Retained,
  `${'project' | 'scope' | 'app' | 'room' | 'topic'}Deleted` | 'topicsConfigured'
>;

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
  readonly rechecks: Rechecks;
  /** As in `rechecks`. */
  readonly recheckActor: Rechecks['actor'];
  readonly recheckProject: Rechecks['project'];
  readonly retained: LastValues;
  private readonly deps: RevalidatorDeps;

  constructor(deps: RevalidatorDeps) {
    this.deps = deps;
    this.rechecks = new Rechecks({ ...deps, changes: this.changes });
    this.recheckActor = this.rechecks.actor;
    this.recheckProject = this.rechecks.project;
    this.retained = deps.retained;
  }

  actorUpdated(actorTokenId: string, { status, expiresAt, accessScopeId }: ActorChanges): void {
    if ([status, expiresAt, accessScopeId].every((change) => change === undefined)) return;
    this.changes.add(actorTokenId);
    this.rechecks.actor(actorTokenId);
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
    this.rechecks.organization(organizationId);
  }

  scopeUpdated(accessScopeId: string): void {
    this.changes.add(accessScopeId);
    this.rechecks.scope(accessScopeId);
  }

  scopeDeleted(projectId: string, accessScopeId: string): void {
    this.changes.add(accessScopeId);
    this.rechecks.endScope(projectId, accessScopeId);
    this.retained.scopeDeleted(accessScopeId);
  }

  signingKeyUpdated(signingKeyId: string): void {
    this.changes.add(signingKeyId);
    this.deps.signingKeys.changed(signingKeyId);
    this.rechecks.signingKey(signingKeyId);
  }

  signingKeyResealed(signingKeyId: string): void {
    this.deps.signingKeys.changed(signingKeyId);
  }

  signingKeyDeleted(projectId: string, signingKeyId: string): void {
    this.changes.add(signingKeyId);
    this.deps.signingKeys.changed(signingKeyId);
    this.rechecks.endSigningKey(projectId, signingKeyId);
  }

  appChanged(projectId: string, appId: string): void {
    this.deps.directory.appChanged(appId);
    this.rechecks.project(projectId);
  }

  roomChanged(projectId: string, roomId: string): void {
    this.deps.directory.roomChanged(roomId);
    this.rechecks.project(projectId);
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
    this.rechecks.project(projectId);
    const actors = this.deps.roster.ofProject(projectId).map(({ identity }) => identity.actorTokenId);
    for (const actorTokenId of new Set(actors)) this.rechecks.actor(actorTokenId);
  }

  /** What is needed from now on is read again. */
  forgetAll(): void {
    this.deps.directory.forgetAll();
    this.deps.signingKeys.forgetAll();
  }
}

const isRevoked = ({ consoleSession }: Session, revocation: SessionRevocation): boolean =>
  consoleSession !== undefined &&
  revocationKeys(revocableConsoleSession(consoleSession)).includes(revocation.revokes) &&
  isConsoleSessionRevoked(consoleSession, [revocation]);
