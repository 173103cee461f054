import type { ActorType } from '@roomwire/shared/domain/actors/actor';
import type { ProtocolVersion } from '@roomwire/shared/wire/protocol/versions';
import type { Scope } from '@roomwire/shared/domain/scopes/scope';

/** A scope as its actors' connections know it. */
export type ActorScope = Pick<Scope, 'accessScopeId' | 'slug' | 'name'>;

/** Who an authenticated connection is. */
export interface Identity {
  readonly actorTokenId: string;
  readonly projectId: string;
  readonly organizationId: string;
  readonly actorType: ActorType;
  /** The scope's slug, which every internal address gets. */
  readonly scope: string | null;
  readonly accessScope: ActorScope | null;
  readonly version: ProtocolVersion;
}
