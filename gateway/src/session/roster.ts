import { closes } from '@roomwire/shared/wire/protocol/closes';
import type { Session } from './session.js';

/** The sessions of this gateway. */
export class Roster {
  private readonly actors = new Map<string, Set<Session>>();
  private readonly projects = new Map<string, Set<Session>>();
  /** The newest last. */
  private readonly organizations = new Map<string, Set<Session>>();

  enter(session: Session): void {
    const { actorTokenId, projectId, organizationId } = session.identity;
    include(this.actors, actorTokenId, session);
    include(this.projects, projectId, session);
    include(this.organizations, organizationId, session);
  }

  leave(session: Session): void {
    const { actorTokenId, projectId, organizationId } = session.identity;
    discard(this.actors, actorTokenId, session);
    discard(this.projects, projectId, session);
    discard(this.organizations, organizationId, session);
  }

  /** Copies, because closing a session takes it out. */
  ofActor(actorTokenId: string): readonly Session[] {
    return [...(this.actors.get(actorTokenId) ?? [])];
  }

  ofProject(projectId: string): readonly Session[] {
    return [...(this.projects.get(projectId) ?? [])];
  }

  /** The newest last. */
  ofOrganization(organizationId: string): readonly Session[] {
    return [...(this.organizations.get(organizationId) ?? [])];
  }

  endExpired(): void {
    for (const sessions of this.organizations.values()) for (const session of sessions) session.endExpired();
  }

  closeNewest(organizationId: string, count: number): void {
    const newestFirst = [...this.ofOrganization(organizationId)].reverse();
    for (const session of newestFirst.slice(0, count)) session.close(closes.connectionLimitReached);
  }

  countOf(organizationId: string): number {
    return this.organizations.get(organizationId)?.size ?? 0;
  }

  countByOrganization(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.organizations].map(([id, sessions]) => [id, sessions.size]));
  }

  organizationIds(): readonly string[] {
    return [...this.organizations.keys()];
  }

  actorIds(): readonly string[] {
    return [...this.actors.keys()];
  }

  projectIds(): readonly string[] {
    return [...this.projects.keys()];
  }
}

const include = (index: Map<string, Set<Session>>, key: string, session: Session): void => {
  const sessions = index.get(key);
  if (sessions) sessions.add(session);
  else index.set(key, new Set([session]));
};

const discard = (index: Map<string, Set<Session>>, key: string, session: Session): void => {
  const sessions = index.get(key);
  sessions?.delete(session);
  if (sessions?.size === 0) index.delete(key);
};
