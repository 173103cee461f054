import { Agent, request } from 'node:http';
import type { RunningRoomwire } from './roomwire.js';

/** Makes what a load needs, through REST. */
export interface RoomwireApi {
  createApp(topic: string): Promise<{ readonly appId: string; readonly slug: string }>;
  createRoom(appId: string, slug: string): Promise<void>;
  /** The access token of each. */
  createActors(count: number): Promise<readonly string[]>;
  close(): void;
}

const requestsAtOnce = 16;

export const connectToApi = ({ port, credentials }: RunningRoomwire): RoomwireApi => {
  const agent = new Agent({ keepAlive: true, maxSockets: requestsAtOnce });
  const post = <T>(path: string, body: unknown): Promise<T> =>
    postJson<T>({ agent, port, path: `/v1${path}`, apiKey: credentials.apiKey }, body);

  return {
    createApp: (topic) => post('/apps', { name: 'Load', topics: [topic] }),
    createRoom: (appId, slug) => post(`/apps/${appId}/rooms`, { name: slug, slug }),
    async createActors(count) {
      const actors = Array.from({ length: count }, (_, index) =>
        post<{ accessToken: string }>('/actors', { name: `Actor ${index}`, actorType: 'device' }),
      );
      return (await Promise.all(actors)).map(({ accessToken }) => accessToken);
    },
    close: () => agent.destroy(),
  };
};

interface Target {
  readonly agent: Agent;
  readonly port: number;
  readonly path: string;
  readonly apiKey: string;
}

const postJson = <T>({ agent, port, path, apiKey }: Target, body: unknown): Promise<T> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const posting = request({ agent, host: '127.0.0.1', port, path, method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        if (response.statusCode === 201) resolve(JSON.parse(text) as T);
        else reject(new Error(`POST ${path} was answered ${response.statusCode}: ${text}`));
      });
    });
    posting.on('error', reject);
    posting.end(JSON.stringify(body));
  });
