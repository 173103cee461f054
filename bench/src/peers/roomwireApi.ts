import type { Credentials } from './roomwire.js';

/** Makes what a load needs, through REST. */
export interface RoomwireApi {
  createApp(
    topic: string,
    fields?: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly appId: string; readonly slug: string }>;
  createRoom(appId: string, slug: string): Promise<void>;
  /** The access token of each. */
  createActors(count: number, actorType?: string): Promise<readonly string[]>;
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
  const createActor = async (actorType: string): Promise<string> =>
    (await post<{ accessToken: string }>('/actors', { name: 'Actor', actorType })).accessToken;

  return {
    createApp: (topic, fields = {}) => post('/apps', { name: 'Load', topics: [topic], ...fields }),
    createRoom: (appId, slug) => post(`/apps/${appId}/rooms`, { name: slug, slug }),
    async createActors(count, actorType = 'device') {
      const tokens: string[] = [];
      while (tokens.length < count) {
        const types = Array.from(
          { length: Math.min(requestsAtOnce, count - tokens.length) },
          () => actorType,
        );
        tokens.push(...(await Promise.all(types.map(createActor))));
      }
      return tokens;
    },
  };
};
