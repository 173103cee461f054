import { connect, type Client } from '@roomwire/sdk';
import type { ApiClient } from './apiClient.js';
import type { TestService } from './testService.js';

/** An app with the topics `chat` and `news` and a room `lobby`; `topic` is the address of `chat` in it. */
export const appWithRoom = async (
  project: ApiClient,
  fields: object,
): Promise<{ appId: string; topic: string }> => {
  const app = (await project.post('/apps', { name: 'world', topics: ['chat', 'news'], ...fields })).body;
  await project.post(`/apps/${app.appId}/rooms`, { name: 'lobby' });
  return { appId: app.appId, topic: `${app.slug}/lobby/chat` };
};

export const actorOf = async (
  project: ApiClient,
  fields: object = {},
): Promise<{ accessToken: string; actorTokenId: string; keyId: string }> =>
  (await project.post('/actors', { name: 'x', actorType: 'user', ...fields })).body;

/** A new actor of the service's project, connected. */
export const joinAsActor = async (
  { project, socketUrl }: TestService,
  fields: object = {},
): Promise<{ client: Client; actorTokenId: string }> => {
  const { accessToken, actorTokenId } = await actorOf(project, fields);
  const client = connect({ url: socketUrl, token: accessToken, reconnect: false });
  await client.ready();
  return { client, actorTokenId };
};
