import type { Scope } from '@roomwire/shared/domain/scope';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { BackendMessage, Publishers } from '@roomwire/shared/ports/publishing';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { Author, Identity } from '../access/client.js';
import { standingOf } from '../access/credentials.js';
import type { Directory } from '../access/directory.js';
import { resolveAccess, resolveBackendAccess } from '../access/topicAccess.js';
import { publishRights, type PublishRights } from './publishRights.js';

/** Who publishes, and where it may. */
export interface BackendAuthor {
  readonly author: Author;
  readonly rights: PublishRights;
}

export interface AuthorDeps {
  readonly views: ViewReader;
  readonly clock: Clock;
  readonly directory: Directory;
}

type Found = BackendAuthor | ProtocolErrorName;

/** The authors of one request, each of whom is looked up once. */
export class Authors {
  private readonly deps: AuthorDeps;
  private readonly of: Publishers;
  private readonly known = new Map<string, Found | Promise<Found>>();

  constructor(of: Publishers, deps: AuthorDeps) {
    this.of = of;
    this.deps = deps;
  }

  /** Returns a promise only where one has to be looked up; it rejects when the read models fail. */
  find({ as, scope }: Pick<BackendMessage, 'as' | 'scope'>): Found | Promise<Found> {
    const name = nameOf(as, scope);
    return this.known.get(name) ?? this.lookUp(name, as === undefined ? this.backend(scope) : this.actor(as));
  }

  private lookUp(name: string, found: Promise<Found>): Promise<Found> {
    this.known.set(name, found);
    void found.then(
      (one) => this.known.set(name, one),
      () => undefined,
    );
    return found;
  }

  /** [HTTP-PUB-1] It needs no grants. */
  private async backend(scopeName: string | undefined): Promise<Found> {
    const scope = scopeName === undefined ? undefined : await this.scope(scopeName);
    if (scopeName !== undefined && !scope?.isActive) return 'unknownScope';
    const author: Author = {
      ...{ ...this.of, actorTokenId: '' },
      ...{ scope: scope?.slug ?? null, accessScope: scope ?? null },
    };
    const { clock, directory } = this.deps;
    return {
      author,
      rights: publishRights(clock, (address) => resolveBackendAccess(directory, author, address)),
    };
  }

  private async scope(name: string): Promise<Scope | undefined> {
    const { projectId } = this.of;
    const { views } = this.deps;
    const byId = await views.get('scopes', name);
    if (byId?.projectId === projectId) return byId;
    return (await views.find('scopes', { filter: { projectId, slug: name }, limit: 1 }))[0];
  }

  private async actor(name: string): Promise<Found> {
    const { views, clock, directory } = this.deps;
    const actor =
      (await views.get('actors', name)) ??
      (await views.find('actors', { filter: { keyId: name }, limit: 1 }))[0];
    if (actor?.projectId !== this.of.projectId) return 'unknownActor';
    const standing = await standingOf(views, clock, actor);
    if (typeof standing === 'string') return 'unknownActor';
    const { actorTokenId, actorType } = actor;
    const { accessScope } = standing;
    const identity: Identity = {
      ...{ ...this.of, actorTokenId, actorType, version: 2 },
      // There is no token.
      capabilities: undefined,
      ...{ scope: accessScope?.slug ?? null, accessScope },
    };
    return {
      author: identity,
      rights: publishRights(clock, (address) => resolveAccess(directory, identity, address)),
    };
  }
}

/** A message names one of them at most. */
const nameOf = (as: string | undefined, scope: string | undefined): string => {
  if (as !== undefined) return `as ${as}`;
  return scope === undefined ? '' : `in ${scope}`;
};
