import { queryOptions } from '@tanstack/react-query';
import { answerOf } from '../../api/failure.js';
import { useRows } from '../../api/useRows.js';
import { useProject, type OpenProject } from '../../session/console.js';
import type { App, Grant, Room } from './model.js';
import { appRecord, roomRecord } from './records.js';

const pageSize = 50;

export const useApps = () => {
  const { api, projectId } = useProject();
  return useRows<App>({
    queryKey: [projectId, 'apps'],
    read: ({ page = 1 }) => {
      const query = { page, limit: pageSize, 'orderBy[]': ['name:ASC'] };
      return answerOf(api.GET('/apps', { params: { query } }));
    },
  });
};

export const appQuery = ({ api, projectId }: OpenProject, appId: string) =>
  queryOptions({
    queryKey: [projectId, 'app', appId],
    queryFn: appRecord(api, { appId }).read,
  });

export const useRooms = (appId: string, name: string) => {
  const { api, projectId } = useProject();
  return useRows<Room>({
    queryKey: [projectId, 'rooms', appId, name],
    read: (position) => {
      const query = { limit: pageSize, ...position, ...(name === '' ? {} : { name }) };
      return answerOf(api.GET('/apps/{appId}/rooms', { params: { path: { appId }, query } }));
    },
  });
};

export const roomQuery = ({ api, projectId }: OpenProject, appId: string, roomId: string) =>
  queryOptions({
    queryKey: [projectId, 'room', roomId],
    queryFn: roomRecord(api, { appId, roomId }).read,
  });

export const useGrants = (appId: string, roomId: string) => {
  const { api, projectId } = useProject();
  return useRows<Grant>({
    queryKey: [projectId, 'grants', roomId],
    read: (position) => {
      const params = { path: { appId, roomId }, query: { limit: pageSize, ...position } };
      return answerOf(api.GET('/apps/{appId}/rooms/{roomId}/actors', { params }));
    },
  });
};
