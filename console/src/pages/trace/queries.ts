import type { components } from '@roomwire/server';
import { useInfiniteQuery } from '@tanstack/react-query';
import { answerOf } from '../../api/failure.js';
import { useProject } from '../../session/console.js';

export type Trace = components['schemas']['Trace'];
export type TracedMessage = components['schemas']['TracedMessage'];
export type TracedActor = components['schemas']['TracedActor'];
export type TracedConnection = components['schemas']['TracedConnection'];

export const traceFields = ['topic', 'scope', 'messageId', 'position', 'at', 'actorId'] as const;
export type TraceQuery = Readonly<Partial<Record<(typeof traceFields)[number], string>>>;

/** What names the message, or the time instead. */
export const isComplete = ({ topic, messageId, position, at }: TraceQuery): boolean =>
  topic !== undefined && [messageId, position, at].some((given) => given !== undefined);

/** A page of actors at a time; each page answers for all messages of the id. */
export const useTrace = ({ topic = '', ...asked }: TraceQuery) => {
  const { sessionApi, organizationId, projectId } = useProject();
  return useInfiniteQuery({
    queryKey: [organizationId, 'trace', projectId, topic, asked],
    queryFn: ({ pageParam }) => {
      const query = {
        ...{ projectId, topic, ...asked },
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
      };
      const params = { path: { orgId: organizationId }, query };
      return answerOf(sessionApi.GET('/organizations/{orgId}/trace', { params }));
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    enabled: isComplete({ topic: topic || undefined, ...asked } as TraceQuery),
  });
};

/** The messages with the actors of all pages that were read. */
export const messagesOf = (pages: readonly Trace[]): readonly TracedMessage[] => {
  const [first] = pages;
  if (first === undefined) return [];
  return first.messages.map((message, index) => ({
    ...message,
    actors: pages.flatMap(({ messages }) => messages[index]?.actors ?? []),
  }));
};
