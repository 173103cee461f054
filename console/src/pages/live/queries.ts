import { queryOptions } from '@tanstack/react-query';
import { answerOf, isMissing } from '../../api/failure.js';
import type { OpenProject } from '../../session/console.js';

const most = 50;
const named = (name: string) => ({ limit: most, ...(name === '' ? {} : { name }) });

export const appsNamed = ({ api, projectId }: OpenProject, name: string) =>
  queryOptions({
    queryKey: [projectId, 'apps', 'named', name],
    queryFn: async () =>
      (await answerOf(api.GET('/apps', { params: { query: { ...named(name), 'orderBy[]': ['name:ASC'] } } })))
        .data,
  });

export const roomsNamed = ({ api, projectId }: OpenProject, appId: string | undefined, name: string) =>
  queryOptions({
    queryKey: [projectId, 'rooms', appId, 'named', name],
    queryFn: async () => {
      const params = { path: { appId: appId ?? '' }, query: named(name) };
      const answer = await answerOf(api.GET('/apps/{appId}/rooms', { params }));
      return 'next' in answer ? answer.data : answer;
    },
    enabled: appId !== undefined,
    // Those of another app are none to choose from.
    placeholderData: (before, query) => (query?.queryKey[2] === appId ? before : undefined),
  });

export const appOf = ({ api, projectId }: OpenProject, appId: string | undefined) =>
  queryOptions({
    queryKey: [projectId, 'app', appId],
    queryFn: () => answerOf(api.GET('/apps/{appId}', { params: { path: { appId: appId ?? '' } } })),
    enabled: appId !== undefined,
  });

export const roomOf = (
  { api, projectId }: OpenProject,
  appId: string | undefined,
  roomId: string | undefined,
) =>
  queryOptions({
    queryKey: [projectId, 'room', roomId],
    queryFn: () => {
      const path = { appId: appId ?? '', roomId: roomId ?? '' };
      return answerOf(api.GET('/apps/{appId}/rooms/{roomId}', { params: { path } }));
    },
    enabled: appId !== undefined && roomId !== undefined,
  });

/** At most the first hundred. */
export const scopesOf = ({ api, projectId }: OpenProject) =>
  queryOptions({
    queryKey: [projectId, 'scopes', 'all'],
    queryFn: async () =>
      (await answerOf(api.GET('/scopes', { params: { query: { limit: 100, 'orderBy[]': ['name:ASC'] } } })))
        .data,
  });

export interface FoundPlace {
  readonly app: string;
  readonly room: string;
  readonly topic: string;
}

/** The app and the room of `app/room/topic`; undefined where there are none. */
export const placeAt = (project: OpenProject, address: string | undefined) =>
  queryOptions({
    queryKey: [project.projectId, 'place', address],
    queryFn: async (): Promise<FoundPlace | null> => {
      const [appSlug = '', roomSlug = '', topic = ''] = (address ?? '').split('/');
      const app = await appIdOf(project, appSlug);
      if (app === undefined) return null;
      const params = { path: { appId: app }, query: { limit: 1, slug: roomSlug } };
      const answer = await answerOf(project.api.GET('/apps/{appId}/rooms', { params }));
      const [room] = 'next' in answer ? answer.data : answer;
      return room === undefined ? null : { app, room: room.roomId, topic };
    },
    enabled: address !== undefined,
  });

/** The API finds apps by their names alone. */
const appIdOf = async ({ api }: OpenProject, slug: string): Promise<string | undefined> => {
  for (let page = 1; ; page += 1) {
    const { data, pagination } = await answerOf(
      api.GET('/apps', { params: { query: { page, limit: 100 } } }),
    );
    const found = data.find((app) => app.slug === slug);
    if (found !== undefined || page >= pagination.pageCount) return found?.appId;
  }
};

/** Whether what is shown is there: gone, with an app or a room, is no failure. */
export const isGone = (error: Error | null): boolean => error !== null && isMissing(error);
