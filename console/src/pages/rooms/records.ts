import type { Api } from '../../api/client.js';
import { answerOf } from '../../api/failure.js';
import type { App, AppChanges, Room, RoomChanges } from './model.js';

/** A record of the API, which others change, too. */
export interface ApiRecord<Shown, Changes> {
  /** Relative to the API: `/apps/{appId}`. */
  readonly path: string;
  /** As it is now. */
  readonly read: () => Promise<Shown>;
  /** Lists and maps replace those that there are. */
  readonly write: (changes: Changes) => Promise<unknown>;
}

export const appRecord = (api: Api, { appId }: Pick<App, 'appId'>): ApiRecord<App, AppChanges> => {
  const params = { path: { appId } };
  return {
    path: `/apps/${appId}`,
    read: () => answerOf(api.GET('/apps/{appId}', { params })),
    write: (body) => answerOf(api.PATCH('/apps/{appId}', { params, body })),
  };
};

export const roomRecord = (
  api: Api,
  { appId, roomId }: Pick<Room, 'appId' | 'roomId'>,
): ApiRecord<Room, RoomChanges> => {
  const params = { path: { appId, roomId } };
  return {
    path: `/apps/${appId}/rooms/${roomId}`,
    read: () => answerOf(api.GET('/apps/{appId}/rooms/{roomId}', { params })),
    write: (body) => answerOf(api.PATCH('/apps/{appId}/rooms/{roomId}', { params, body })),
  };
};
