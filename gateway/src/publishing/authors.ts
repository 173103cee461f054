import type { Scope } from '@roomwire/shared/domain/scope';
import type { Clock } from '@roomwire/shared/ports/clock';
import type { BackendMessage, Publishers } from '@roomwire/shared/ports/publishing';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { Author, Identity } from '../access/client.js';
import { standingOf } from '../access/credentials.js';
import type { Directory } from '../access/directory.js';
import { resolveAccess, resolveBackendAccess, type TopicAccess } from '../access/topicAccess.js';

/** Who publishes, and where it may. */
export interface BackendAuthor {
  readonly author: Author;
  /** Undefined where it may not publish. Rejects when the read models fail. */
  access(address: string): Promise<TopicAccess | undefined>;
}

export interface AuthorDeps {
  readonly views: ViewReader;
  readonly clock: Clock;
  readonly directory: Directory;
}

/** The authors of one request, each of whom is looked up once. */
export class Authors {
  private readonly deps: AuthorDeps;
  private readonly of: Publishers;
  private readonly known = new Map<string, Promise<BackendAuthor | ProtocolErrorName>>();

  constructor(of: Publishers, deps: AuthorDeps) {
    this.of = of;
    this.deps = deps;
  }

  /** Rejects when the read models fail. */
  find({ as, scope }: Pick<BackendMessage, 'as' | 'scope'>): Promise<BackendAuthor | ProtocolErrorName> {
    const name = JSON.stringify([as, scope]);
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const found = as === undefined ? this.backend(scope) : this.actor(as);
    this.known.set(name, found);
    return found;
  }

  /** [HTTP-PUB-1] It needs no grants. */
  private async backend(scopeName: string | undefined): Promise<BackendAuthor | ProtocolErrorName> {
    const scope = scopeName === undefined ? undefined : await this.scope(scopeName);
    if (scopeName !== undefined && !scope?.isActive) return 'unknownScope';
    const author: Author = {
      ...{ ...this.of, actorTokenId: '' },
      ...{ scope: scope?.slug ?? null, accessScope: scope ?? null },
    };
    return { author, access: async (address) => resolveBackendAccess(this.deps.directory, author, address) };
  }

  private async scope(name: string): Promise<Scope | undefined> {
    const { projectId } = this.of;
    const { views } = this.deps;
    const byId = await views.get('scopes', name);
    if (byId?.projectId === projectId) return byId;
    return (await views.find('scopes', { filter: { projectId, slug: name }, limit: 1 }))[0];
  }

  private async actor(name: string): Promise<BackendAuthor | ProtocolErrorName> {
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
      ...{ scope: accessScope?.slug ?? null, accessScope },
    };
    return {
      author: identity,
      access: async (address) => {
        const access = await resolveAccess(directory, identity, address);
        return access?.mayPublish && access.until > clock.now() ? access : undefined;
      },
    };
  }
}
