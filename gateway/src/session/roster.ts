import { shardCount, shardOf } from '@roomwire/shared/domain/shards';
import { SetMultimap } from '../setMultimap.js';
import type { Session } from './session.js';

/** The sessions of this gateway. */
export class Roster {
  private readonly actors = new SetMultimap<string, Session>();
  private readonly projects = new SetMultimap<string, Session>();
  /** How many actors each shard has. */
  private readonly shards = new Array<number>(shardCount).fill(0);
  /** The newest last; without observers, which no limit counts. */
  private readonly organizations = new SetMultimap<string, Session>();
  private readonly observersOf = new SetMultimap<string, Session>();

  enter(session: Session): void {
    const { actorTokenId, projectId, organizationId } = session.identity;
    if (this.countOfActor(actorTokenId) === 0) this.countIn(actorTokenId, 1);
    this.actors.add(actorTokenId, session);
    this.projects.add(projectId, session);
    this.listOf(session).add(organizationId, session);
  }

  leave(session: Session): void {
    const { actorTokenId, projectId, organizationId } = session.identity;
    const wasThere = this.countOfActor(actorTokenId) > 0;
    this.actors.delete(actorTokenId, session);
    if (wasThere && this.countOfActor(actorTokenId) === 0) this.countIn(actorTokenId, -1);
    this.projects.delete(projectId, session);
    this.listOf(session).delete(organizationId, session);
  }

  /** Copies, because closing a session removes it. */
  ofActor(actorTokenId: string): readonly Session[] {
    return [...(this.actors.get(actorTokenId) ?? [])];
  }

  ofProject(projectId: string): readonly Session[] {
    return [...(this.projects.get(projectId) ?? [])];
  }

  ofOrganization(organizationId: string): readonly Session[] {
    return [this.organizations, this.observersOf].flatMap((list) => [...(list.get(organizationId) ?? [])]);
  }

  observers(): readonly Session[] {
    return [...this.observersOf].flatMap(([, sessions]) => [...sessions]);
  }

  endExpired(): void {
    for (const list of [this.organizations, this.observersOf])
      for (const [, sessions] of list) for (const session of sessions) session.endExpired();
  }

  closeNewest(organizationId: string, count: number): void {
    const newestFirst = [...(this.organizations.get(organizationId) ?? [])].reverse();
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

  /** Without observers. */
  countByProject(): readonly (readonly [projectId: string, connections: number])[] {
    return [...this.projects].map(([projectId, sessions]) => {
      let connections = 0;
      for (const { identity } of sessions) if (!identity.observes) connections++;
      return [projectId, connections];
    });
  }

  organizationIds(): readonly string[] {
    return [...this.organizations.keys()];
  }

  actorIds(): readonly string[] {
    return [...this.actors.keys()];
  }

  /** Without a look at each. */
  countOfActors(isMeant: (shard: number) => boolean): number {
    return this.shards.reduce((sum, actors, shard) => sum + (isMeant(shard) ? actors : 0), 0);
  }

  projectIds(): readonly string[] {
    return [...this.projects.keys()];
  }

  private countIn(actorTokenId: string, change: number): void {
    const shard = shardOf(actorTokenId);
    this.shards[shard] = (this.shards[shard] ?? 0) + change;
  }

  private listOf({ identity }: Session): SetMultimap<string, Session> {
    return identity.observes ? this.observersOf : this.organizations;
  }
}
