import {
  revocationKeys,
  type RevocableSession,
  type SessionRevocation,
} from '../domain/sessionRevocation.js';
import type { ViewReader } from '../ports/viewStore.js';

/** The revocations that may concern a session. Rejects while the read models are unavailable. */
export const findRevocations = async (
  views: Pick<ViewReader, 'find'>,
  session: RevocableSession,
): Promise<readonly SessionRevocation[]> =>
  (
    await Promise.all(
      revocationKeys(session).map((revokes) => views.find('sessionRevocations', { filter: { revokes } })),
    )
  ).flat();
