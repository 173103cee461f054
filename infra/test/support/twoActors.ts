import type { ApiClient } from './apiClient.js';

export interface TwoActors {
  readonly topic: string;
  readonly listener: string;
  readonly sender: string;
}

/** A topic of an app of their own, and the access tokens of one who listens and of one who sends. */
export const twoActors = async (project: ApiClient, fields: object = {}): Promise<TwoActors> => {
  const app = (await project.post('/apps', { name: 'demo', topics: ['chat'], ...fields })).body;
  await project.post(`/apps/${app.appId}/rooms`, { name: 'lobby' });
  const tokenOf = async (name: string): Promise<string> =>
    (await project.post('/actors', { name, actorType: 'user' })).body.accessToken;
  return {
    topic: `${app.slug}/lobby/chat`,
    listener: await tokenOf('listener'),
    sender: await tokenOf('sender'),
  };
};
