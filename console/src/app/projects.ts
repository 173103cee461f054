import { queryOptions } from '@tanstack/react-query';
import type { Api } from '../api/client.js';
import { answerOf } from '../api/failure.js';

/** The projects of an organization, at most the first hundred. */
export const projectsQuery = (api: Api, orgId: string) =>
  queryOptions({
    queryKey: ['projects', orgId],
    queryFn: async () => {
      const params = { path: { orgId }, query: { limit: 100 } };
      return (await answerOf(api.GET('/organizations/{orgId}/projects', { params }))).data;
    },
  });

export const projectQuery = (api: Api, orgId: string, projectId: string) =>
  queryOptions({
    queryKey: ['project', orgId, projectId],
    queryFn: () =>
      answerOf(
        api.GET('/organizations/{orgId}/projects/{projectId}', { params: { path: { orgId, projectId } } }),
      ),
    staleTime: 60_000,
  });
