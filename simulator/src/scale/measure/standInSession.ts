import type { Session } from '@roomwire/gateway/session/session';
import { actorId, organizationId, projectId } from '../model/estate.js';

export interface Rechecks {
  /** Connections whose subscriptions were held against their rights. */
  sessions: number;
}

/** A connection as far as revalidation looks at one: it stands, whatever is read. */
export const standInSession = (project: number, connection: number, rechecks: Rechecks): Session =>
  ({
    identity: {
      actorTokenId: actorId(connection),
      projectId: projectId(project),
      organizationId: organizationId(project),
    },
    endFor: () => undefined,
    standingRead: () => undefined,
    recheck: async () => void (rechecks.sessions += 1),
  }) as unknown as Session;
