import type { components } from '@roomwire/server';
import { useInfiniteQuery } from '@tanstack/react-query';
import { answerOf } from '../../api/failure.js';
import { useRows } from '../../api/useRows.js';
import { useProject, type OpenProject } from '../../session/console.js';

export type Connection = components['schemas']['Connection'];

const [pageSize, factsOnAPage] = [50, 200];
const refreshMs = 5_000;

export const connectionFilters = ['actorId', 'room', 'state'] as const;
export type ConnectionFilters = Readonly<Partial<Record<(typeof connectionFilters)[number], string>>>;

/** The connections of the project, read again and again while they are shown. */
export const useConnections = ({ state, ...filters }: ConnectionFilters) => {
  const { sessionApi, organizationId, projectId } = useProject();
  const asked = { projectId, ...filters, ...(isState(state) ? { state } : {}) };
  return useRows<Connection>({
    queryKey: [organizationId, 'connections', asked],
    read: async ({ cursor }) => {
      const query = { limit: pageSize, ...asked, ...(cursor === undefined ? {} : { cursor }) };
      const params = { path: { orgId: organizationId }, query };
      const { data, nextCursor } = await answerOf(
        sessionApi.GET('/organizations/{orgId}/connections', { params }),
      );
      return { data, next: nextCursor };
    },
    refetchInterval: refreshMs,
  });
};

/** A connection and what happened to it. */
export const useTimeline = (connectionId: string) => {
  const { sessionApi, organizationId } = useProject();
  return useInfiniteQuery({
    queryKey: [organizationId, 'connection', connectionId],
    queryFn: ({ pageParam }) => {
      const query = { limit: factsOnAPage, ...(pageParam === undefined ? {} : { cursor: pageParam }) };
      const path = { orgId: organizationId, connectionId };
      return answerOf(
        sessionApi.GET('/organizations/{orgId}/connections/{connectionId}/timeline', {
          params: { path, query },
        }),
      );
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: ({ state }) =>
      state.data?.pages.at(-1)?.connection.closedAt === null ? refreshMs : false,
  });
};

/** Ends it; its client may connect again. */
export const closeConnection = (
  { sessionApi, organizationId }: OpenProject,
  connectionId: string,
): Promise<unknown> =>
  answerOf(
    sessionApi.DELETE('/organizations/{orgId}/connections/{connectionId}', {
      params: { path: { orgId: organizationId, connectionId } },
    }),
  );

const isState = (text: string | undefined): text is 'open' | 'closed' => text === 'open' || text === 'closed';
