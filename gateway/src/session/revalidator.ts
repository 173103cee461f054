import { closes, type CloseSpec } from '@roomwire/shared/wire/protocol/closes';
import type { ActorChanges } from '@roomwire/shared/domain/actors/actor';
import type { Plan } from '@roomwire/shared/domain/organizations/organization';
import type { ScopeChanges } from '@roomwire/shared/domain/scopes/scope';
import type { SigningKeyChanges } from '@roomwire/shared/domain/signing-keys/signingKey';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import type { Directory } from '../access/directory.js';
import type { SigningKeys } from '../access/signingKeys.js';
import { isCurrent } from '../access/topicAccess.js';
import type { Hub } from '../fanout/hub.js';
import type { ConnectionLimit } from '../limits/connectionLimit.js';
import type { Plans } from '../limits/plans.js';
import type { Retained } from '../fanout/retained.js';
import type { SessionRecords } from '../resume/sessionRecords.js';
import { coalesced } from './coalesced.js';
import type { Roster } from './roster.js';
import { moveToScope } from './scopeMove.js';
import type { Session } from './session.js';
import { expiryOf, standingOf, type GoodStanding } from '../access/credentials.js';

interface RevalidatorDeps {
  readonly views: ViewStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly directory: Directory;
  readonly signingKeys: SigningKeys;
  readonly roster: Roster;
  readonly hub: Hub;
  readonly retained: Retained;
  readonly sessionRecords: Pick<SessionRecords, 'forgetActor'>;
  readonly plans: Plans;
  readonly connectionLimit: Pick<ConnectionLimit, 'enforce'>;
  readonly presence: {
    /** Takes away a presence that its actor may no longer have. */
    recheck(session: Session): Promise<void>;
    /** Takes a session out of its room and its lobbies. */
    leave(session: Session): void;
  };
}

const retryAfterMs = 1_000;
const readsAtOnce = 16;

/** Takes from live connections what their actors may no longer have. */
export class Revalidator {
  /** Counts what may have taken rights away, for those who are reading meanwhile. */
  changes = 0;
  /** Reads an actor's records anew and closes its sessions when it may no longer be connected. */
  readonly recheckActor: (actorTokenId: string) => void;
  /** Drops the subscriptions of a project that rest on records which have changed and no longer admit them. */
  readonly recheckProject: (projectId: string) => void;
  private readonly deps: RevalidatorDeps;
  private isSweeping = false;

  constructor(deps: RevalidatorDeps) {
    this.deps = deps;
    this.recheckActor = coalesced((id) => this.readActor(id).catch(this.rethrown), retryAfterMs);
    this.recheckProject = coalesced((id) => this.readProject(id).catch(this.rethrown), retryAfterMs);
  }

  actorUpdated(actorTokenId: string, { status, expiresAt, accessScopeId }: ActorChanges): void {
    this.changes++;
    for (const session of this.deps.roster.ofActor(actorTokenId)) {
      if (status === 'disabled') session.link.close(closes.tokenRevoked);
      if (expiresAt !== undefined) session.expiresAt = expiryOf({ expiresAt });
      if (accessScopeId !== undefined) session.accessScopeId = accessScopeId;
    }
    // The scope's slug is not in the event.
    if (accessScopeId !== undefined) this.recheckActor(actorTokenId);
  }

  actorDeleted(actorTokenId: string): void {
    this.changes++;
    for (const session of this.deps.roster.ofActor(actorTokenId)) session.link.close(closes.tokenNotFound);
    this.deps.sessionRecords.forgetActor(actorTokenId);
  }

  projectDeleted(projectId: string): void {
    this.changes++;
    this.deps.retained.projectDeleted(projectId);
    for (const session of this.deps.roster.ofProject(projectId)) session.link.close(closes.projectNotFound);
  }

  organizationSuspended(organizationId: string): void {
    this.changes++;
    for (const session of this.deps.roster.ofOrganization(organizationId)) {
      session.link.close(closes.tokenRevoked);
    }
  }

  planChanged(organizationId: string, plan: Plan): void {
    this.changes++;
    this.deps.plans.changed(organizationId, plan);
    this.deps.connectionLimit.enforce(organizationId);
  }

  scopeUpdated(projectId: string, accessScopeId: string, { isActive, name }: ScopeChanges): void {
    if (isActive === false) return this.scopeEnded(projectId, accessScopeId);
    for (const session of this.deps.roster.ofProject(projectId)) {
      const { accessScope } = session.identity;
      const isInside = [session.accessScopeId, accessScope?.accessScopeId].every(
        (id) => id === accessScopeId,
      );
      if (isInside && accessScope && name) moveToScope(session, { ...accessScope, name }, this.deps);
    }
  }

  scopeEnded(projectId: string, accessScopeId: string): void {
    this.changes++;
    const isInside = (session: Session) => session.accessScopeId === accessScopeId;
    this.closeWhere(projectId, isInside, closes.scopeInactive);
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
    this.changes++;
    this.deps.signingKeys.changed(signingKeyId);
    const isSignedByIt = ({ clientToken }: Session) => clientToken?.signingKeyId === signingKeyId;
    this.closeWhere(projectId, isSignedByIt, closes.tokenRevoked);
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

  /** Something that this program does not know happened in the project. */
  anythingChanged(projectId: string): void {
    this.changes++;
    this.deps.directory.projectChanged(projectId);
    this.deps.signingKeys.projectChanged(projectId);
    this.recheckProject(projectId);
    const actors = this.deps.roster.ofProject(projectId).map(({ identity }) => identity.actorTokenId);
    for (const actorTokenId of new Set(actors)) this.recheckActor(actorTokenId);
  }

  /** The net behind the events: everything is read again, a few actors at a time. */
  async recheckAll(): Promise<void> {
    if (this.isSweeping) return;
    this.isSweeping = true;
    this.deps.directory.forgetAll();
    this.deps.signingKeys.forgetAll();
    for (const projectId of this.deps.roster.projectIds()) this.recheckProject(projectId);
    const actorIds = [...this.deps.roster.actorIds()];
    const readNext = async (): Promise<void> => {
      for (let id = actorIds.pop(); id !== undefined; id = actorIds.pop()) {
        await this.readActor(id).catch(this.logged);
      }
    };
    await Promise.all(Array.from({ length: readsAtOnce }, readNext));
    this.isSweeping = false;
  }

  /** What changes while it is read is read once more, so that an older record does not win over an event. */
  private async readActor(actorTokenId: string): Promise<void> {
    const { views, clock, roster } = this.deps;
    if (roster.ofActor(actorTokenId).length === 0) return;
    const { changes } = this;
    const standing = await standingOf(views, clock, await views.get('actors', actorTokenId));
    const ended = await this.readEndedKeys(actorTokenId);
    if (changes !== this.changes) return this.readActor(actorTokenId);
    for (const session of roster.ofActor(actorTokenId)) {
      if (typeof standing === 'string') session.link.close(closes[standing]);
      else if (ended.has(session.clientToken?.signingKeyId)) session.link.close(closes.tokenRevoked);
      else this.takeOver(session, standing);
    }
  }

  /** Those signing keys behind an actor's connections that verify nothing any more. */
  private async readEndedKeys(actorTokenId: string): Promise<ReadonlySet<string | undefined>> {
    const { roster, views } = this.deps;
    const ended = new Set<string>();
    for (const { clientToken } of roster.ofActor(actorTokenId)) {
      const key = clientToken && (await views.get('signingKeys', clientToken.signingKeyId));
      if (clientToken && key?.status !== 'active') ended.add(clientToken.signingKeyId);
    }
    return ended;
  }

  private takeOver(session: Session, { actor, accessScope, organizationId, plan }: GoodStanding): void {
    this.deps.plans.read(organizationId, plan);
    session.expiresAt = expiryOf(actor);
    moveToScope(session, accessScope, this.deps);
  }

  private closeWhere(projectId: string, isMeant: (session: Session) => boolean, why: CloseSpec): void {
    for (const session of this.deps.roster.ofProject(projectId)) {
      if (isMeant(session)) session.link.close(why);
    }
  }

  private async readProject(projectId: string): Promise<void> {
    for (const session of this.deps.roster.ofProject(projectId)) {
      for (const [topic, { access }] of session.subscriptions) {
        if (!isCurrent(access)) await this.readSubscription(session, topic);
      }
      await this.deps.presence.recheck(session);
    }
  }

  private async readSubscription(session: Session, topic: string): Promise<void> {
    const { directory, hub } = this.deps;
    const subscription = session.subscriptions.get(topic);
    const access = await session.access(directory, topic);
    if (subscription === undefined || session.subscriptions.get(topic) !== subscription) return;
    // On its way into another scope: it is resolved anew where it arrives.
    if (!subscription.isJoined) return;
    if (access?.maySubscribe) {
      session.sustain(subscription, access);
    } else {
      session.subscriptions.delete(topic);
      hub.leave(subscription);
    }
  }

  private readonly logged = (error: unknown): void => {
    this.deps.logger.warn('Rights could not be read again; the connections stay until they can', { error });
  };

  private readonly rethrown = (error: unknown): never => {
    this.logged(error);
    throw error;
  };
}
