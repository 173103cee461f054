import type { Credentials } from './roomwire.js';

/** Makes what a load needs, through REST. */
export interface RoomwireApi {
  createApp(topic: string): Promise<{ readonly appId: string; readonly slug: string }>;
  createRoom(appId: string, slug: string): Promise<void>;
  /** The access token of each. */
  createActors(count: number): Promise<readonly string[]>;
}

interface Reachable {
  readonly port: number;
  readonly credentials: Pick<Credentials, 'apiKey'>;
}

const requestsAtOnce = 16;

export const roomwireApi = ({ port, credentials }: Reachable): RoomwireApi => {
  const post = async <T>(path: string, body: unknown): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credentials.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status !== 201) throw new Error(`POST ${path} was answered ${response.status}: ${text}`);
    return JSON.parse(text) as T;
  };
  const createActor = async (name: string): Promise<string> =>
    (await post<{ accessToken: string }>('/actors', { name, actorType: 'device' })).accessToken;

  return {
    createApp: (topic) => post('/apps', { name: 'Load', topics: [topic] }),
    createRoom: (appId, slug) => post(`/apps/${appId}/rooms`, { name: slug, slug }),
    async createActors(count) {
      const tokens: string[] = [];
      while (tokens.length < count) {
        const names = Array.from({ length: Math.min(requestsAtOnce, count - tokens.length) }, () => 'Actor');
        tokens.push(...(await Promise.all(names.map(createActor))));
      }
      return tokens;
    },
  };
};
