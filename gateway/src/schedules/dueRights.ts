import type { ScheduledPublish } from '@roomwire/shared/ports/scheduleStore';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { Author, Identity } from '../access/client.js';
import type { ConnectedActor } from '../access/connectedActor.js';
import { standingOf } from '../access/credentials.js';
import { resolveAccess, withoutWebhooks, type TopicAccess } from '../access/topicAccess.js';
import { isRevokedSince } from '../access/tokenRevocations.js';
import { Authors, type AuthorDeps, type BackendAuthor } from '../publishing/authors.js';
import { publishRights } from '../publishing/publishRights.js';

/** A publish that may be made now, or why not. */
export type DueRights =
  { readonly author: Author; readonly access: TopicAccess } | { readonly refused: ProtocolErrorName };

/** Whoever has no record is known by its type alone. */
const anyExternalKey = 'ext:';

/**
 * [WS-LATER-3] Whether what is due may still be published, by the same author in the same room and scope. Each author is looked up once, so that
 * it is made anew for each batch. Rejects when the read models fail.
 */
export class DueJudge {
  private readonly deps: AuthorDeps;
  private readonly authors = new Map<string, Authors>();

  constructor(deps: AuthorDeps) {
    this.deps = deps;
  }

  async judge(publish: ScheduledPublish): Promise<DueRights> {
    const found = await this.author(publish);
    if (typeof found === 'string') return { refused: found };
    const { author, rights } = found;
    const access = await rights(publish.topic);
    const isSame =
      access?.location.room.value.roomId === publish.roomId &&
      (author.accessScope?.accessScopeId ?? null) === (publish.scope?.accessScopeId ?? null);
    if (access === undefined || !isSame) return { refused: 'unknownTopic' };
    return { author, access: publish.isSilent === true ? withoutWebhooks(access) : access };
  }

  private async author(publish: ScheduledPublish): Promise<BackendAuthor | ProtocolErrorName> {
    const { organizationId, projectId, actorTokenId, scope, externalType } = publish;
    if (externalType !== undefined) return this.external(publish, externalType);
    let authors = this.authors.get(projectId);
    if (authors === undefined) {
      authors = new Authors({ organizationId, projectId }, this.deps);
      this.authors.set(projectId, authors);
    }
    return actorTokenId === ''
      ? authors.find({ as: undefined, scope: scope?.accessScopeId })
      : authors.find({ as: actorTokenId, scope: undefined });
  }

  /** There is no record of it; a revocation of the token that it had then ends what it has scheduled. */
  private async external(
    publish: ScheduledPublish,
    actorType: Identity['actorType'],
  ): Promise<BackendAuthor | ProtocolErrorName> {
    const { views, clock, directory } = this.deps;
    const { organizationId, projectId, actorTokenId, scope } = publish;
    const actor: ConnectedActor = {
      ...{ actorTokenId, projectId, keyId: anyExternalKey, actorType },
      ...{ accessScopeId: scope?.accessScopeId ?? null, status: 'active', expiresAt: null },
    };
    const standing = await standingOf(views, clock, actor);
    if (typeof standing === 'string' || (await isRevokedSince(views, publish))) return 'unknownActor';
    const { accessScope } = standing;
    const author: Identity = {
      ...{ actorTokenId, projectId, organizationId, actorType, version: 2, externalType: actorType },
      ...{ capabilities: undefined, scope: accessScope?.slug ?? null, accessScope },
    };
    return {
      author,
      rights: publishRights(clock, (address) => resolveAccess(directory, author, address)),
    };
  }
}
