import { closes } from '@roomwire/shared/contracts/protocol/closes';
import type { ActorChanges } from '@roomwire/shared/domain/actors/actor';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import type { Directory } from '../access/directory.js';
import { isCurrent, resolveAccess } from '../access/topicAccess.js';
import type { Hub } from '../fanout/hub.js';
import { coalesced } from './coalesced.js';
import type { Roster } from './roster.js';
import type { Session } from './session.js';
import { expiryOf, standingOf } from './standing.js';

interface RevalidatorDeps {
  readonly views: ViewStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly directory: Directory;
  readonly roster: Roster;
  readonly hub: Hub;
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

  actorUpdated(actorTokenId: string, { status, expiresAt }: ActorChanges): void {
    this.changes++;
    for (const session of this.deps.roster.ofActor(actorTokenId)) {
      if (status === 'disabled') session.link.close(closes.tokenRevoked);
      if (expiresAt !== undefined) session.expiresAt = expiryOf({ expiresAt });
    }
  }

  actorDeleted(actorTokenId: string): void {
    this.changes++;
    for (const session of this.deps.roster.ofActor(actorTokenId)) session.link.close(closes.tokenNotFound);
  }

  projectDeleted(projectId: string): void {
    this.changes++;
    for (const session of this.deps.roster.ofProject(projectId)) session.link.close(closes.projectNotFound);
  }

  organizationSuspended(organizationId: string): void {
    this.changes++;
    for (const session of this.deps.roster.ofOrganization(organizationId)) {
      session.link.close(closes.tokenRevoked);
    }
  }

  appChanged(projectId: string, appId: string): void {
    this.deps.directory.appChanged(appId);
    this.recheckProject(projectId);
  }

  roomChanged(projectId: string, roomId: string): void {
    this.deps.directory.roomChanged(roomId);
    this.recheckProject(projectId);
  }

  /** Something that this program does not know happened in the project. */
  anythingChanged(projectId: string): void {
    this.changes++;
    this.deps.directory.projectChanged(projectId);
    this.recheckProject(projectId);
    const actors = this.deps.roster.ofProject(projectId).map(({ identity }) => identity.actorTokenId);
    for (const actorTokenId of new Set(actors)) this.recheckActor(actorTokenId);
  }

  /** The net behind the events: everything is read again, a few actors at a time. */
  async recheckAll(): Promise<void> {
    if (this.isSweeping) return;
    this.isSweeping = true;
    this.deps.directory.forgetAll();
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
    if (changes !== this.changes) return this.readActor(actorTokenId);
    for (const session of roster.ofActor(actorTokenId)) {
      if (typeof standing === 'string') session.link.close(closes[standing]);
      else session.expiresAt = expiryOf(standing.actor);
    }
  }

  private async readProject(projectId: string): Promise<void> {
    for (const session of this.deps.roster.ofProject(projectId)) {
      for (const [topic, { access }] of session.subscriptions) {
        if (!isCurrent(access)) await this.readSubscription(session, topic);
      }
    }
  }

  private async readSubscription(session: Session, topic: string): Promise<void> {
    const { directory, hub } = this.deps;
    const subscription = session.subscriptions.get(topic);
    const access = await resolveAccess(directory, session.identity, topic);
    if (subscription === undefined || session.subscriptions.get(topic) !== subscription) return;
    if (access?.maySubscribe) {
      subscription.access = access;
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
