import { SetMultimap } from '../setMultimap.js';
import type { Session } from './session.js';

/** The sessions of this gateway. */
export class Roster {
  private readonly actors = new SetMultimap<string, Session>();
  private readonly projects = new SetMultimap<string, Session>();
  /** The newest last. */
  private readonly organizations = new SetMultimap<string, Session>();

  enter(session: Session): void {
    const { actorTokenId, projectId, organizationId } = session.identity;
    this.actors.add(actorTokenId, session);
    this.projects.add(projectId, session);
    this.organizations.add(organizationId, session);
  }

  leave(session: Session): void {
    const { actorTokenId, projectId, organizationId } = session.identity;
    this.actors.delete(actorTokenId, session);
    this.projects.delete(projectId, session);
    this.organizations.delete(organizationId, session);
  }

  /** Copies, because closing a session removes it. */
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
    for (const [, sessions] of this.organizations) for (const session of sessions) session.endExpired();
  }

  closeNewest(organizationId: string, count: number): void {
    const newestFirst = [...this.ofOrganization(organizationId)].reverse();
    for (const session of newestFirst.slice(0, count)) session.endFor('connection_limit');
  }

  countOfActor(actorTokenId: string): number {
    return this.actors.get(actorTokenId)?.size ?? 0;
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
