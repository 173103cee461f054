import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import type { TopicAccess } from '../access/topicAccess.js';
import type { Presence } from './presence.js';
import type { PresenceClient } from './stay.js';

type Outcome = ProtocolErrorName | void;

/**
 * Resolves a room name for a session, and uses its rights there at once. [WS-SCOPE-4] They are never those of a scope that its actor
 * has left meanwhile.
 */
export const inNamedRoom = async (
  presence: Pick<Presence, 'find'>,
  client: PresenceClient,
  roomId: string,
  use: (access: TopicAccess) => Outcome | Promise<Outcome>,
): Promise<Outcome> => {
  for (;;) {
    const access = await presence.find(client, roomId);
    if (access === undefined) return 'unknownTopic';
    if (client.isOver) return;
    if (access.scope === client.identity.scope) return use(access);
  }
};
