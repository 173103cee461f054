import type { TimeSpan } from '@roomwire/shared/ports/connectionRecord';
import { isOfActor, spanAround, type ReadRecord } from './recordReads.js';
import type { TracedMessage } from './tracedMessage.js';
import type { TracedTopic } from './tracedTopic.js';

export interface ActorPage {
  readonly actorTokenIds: readonly string[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
}

/**
 * Who was connected when the messages came, and has been subscribed in the room: each actor on one page, that of the newest of its connections. A
 * page has so many connections.
 */
export const actorsOf = async (
  record: ReadRecord,
  { organizationId, projectId, place, scope }: TracedTopic,
  messages: readonly TracedMessage[],
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<ActorPage> => {
  const query = { organizationId, projectId, room: place, during: spanOf(messages) };
  const { connections, next } = await record.find({ ...query, after, limit });
  const actors = new Set<string>();
  for (const { actorTokenId, connectionId, ...connection } of connections.filter(isOfActor)) {
    if (connection.scope !== (scope?.slug ?? null) || actors.has(actorTokenId)) continue;
    const [newest] = (await record.find({ ...query, actorTokenId, limit: 1 })).connections;
    if (newest?.connectionId === connectionId) actors.add(actorTokenId);
  }
  return { actorTokenIds: [...actors], next };
};

const spanOf = (messages: readonly TracedMessage[]): TimeSpan => {
  const spans = messages.map(spanAround);
  return { from: Math.min(...spans.map(({ from }) => from)), to: Math.max(...spans.map(({ to }) => to)) };
};
