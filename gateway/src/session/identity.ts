import type { ActorType } from '@roomwire/shared/domain/actors/actor';
import type { ProtocolVersion } from '@roomwire/shared/contracts/protocol/versions';

/** Who an authenticated connection is. */
export interface Identity {
  readonly actorTokenId: string;
  readonly projectId: string;
  readonly organizationId: string;
  readonly actorType: ActorType;
  /** The scope's slug; no scopes yet. */
  readonly scope: string | null;
  readonly version: ProtocolVersion;
}
